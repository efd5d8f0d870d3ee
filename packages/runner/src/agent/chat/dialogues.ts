// Converts episodes into the policy's tokens, either as plain text or as messages that the policy's chat template writes.
import { chatDialogues, textDialogues, type Dialogues } from '@bowyer/algorithms';
import { AgentGymEnv, type EnvParts } from '@bowyer/envs';
import type { LanguageModel } from '@bowyer/models';
import type { ChatMessage } from '@bowyer/text';
import type { NodePart } from '../keys/agent-keys.js';
import { contextOf, type ContextConfig } from '../context/agent-context.js';
import { wholeEnvironmentOf, type EnvironmentConfig } from '../environment/environment.js';
import type { Reporting } from '../../context/task-context.js';
import { loadChatTemplate, type TemplateConfig } from './chat-setup.js';

export type DialogueConfig = ContextConfig & NodePart<'play', 'asChat' | 'actionChoice'> & TemplateConfig;

/**
 * Makes the converter of episodes into tokens: if `play.as_chat` is true, the chat template writes the history as messages;
 * otherwise the text of the history is tokenized without a template.
 */
export async function dialoguesOf(
  { tokenizer }: LanguageModel,
  config: DialogueConfig,
  { envParts, log }: { envParts: EnvParts; log: Reporting['log'] },
): Promise<Dialogues> {
  const { actionChoice, asChat } = config.play;
  if (!asChat) return { ...textDialogues(tokenizer), actionChoice };
  const template = await loadChatTemplate(config, tokenizer);
  const opening = await openingOf(config, envParts);
  const isSingleMessage = contextOf(config).kind !== 'dialogue';
  const dialogues = chatDialogues(tokenizer, {
    template,
    opening,
    isSingleMessage,
    onRewritten: () => log(REWRITTEN, 'WARNING'),
  });
  return { ...dialogues, actionChoice };
}

const REWRITTEN =
  'the chat template rewrites earlier messages when later ones follow: such turns read the whole dialogue again, which is ' +
  'exact but slower, and training reads it once for each turn';

/**
 * Returns AgentGym's instructions and the model's reply as messages if `env.instructions` is false: observations then lack them.
 */
async function openingOf(config: EnvironmentConfig, parts: EnvParts): Promise<ChatMessage[]> {
  if (config.env.instructions !== false) return [];
  const env = wholeEnvironmentOf(config, parts);
  try {
    return env instanceof AgentGymEnv ? await env.opening() : [];
  } finally {
    await env.close();
  }
}
