// Converts episodes into a policy's tokens: the text of the history, or messages written by its chat template.
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
 * Makes the conversion of episodes into tokens: the chat template writes messages if `play.as_chat` is true; otherwise the text
 * of the history is tokenized as it is.
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

/** Returns AgentGym's instructions and the reply to them as separate messages, where the first observation does not contain them. */
async function openingOf(config: EnvironmentConfig, parts: EnvParts): Promise<ChatMessage[]> {
  if (config.env.instructions !== false) return [];
  const env = wholeEnvironmentOf(config, parts);
  try {
    return env instanceof AgentGymEnv ? await env.opening() : [];
  } finally {
    await env.close();
  }
}
