// How a policy plays: on the text of the history, or through its chat template.
import { chatDialogues, PolicyPlayer, textDialogues, type Dialogues, type OpenPlayer } from '@bowyer/algorithms';
import { AgentGymEnv, type EnvParts } from '@bowyer/envs';
import type { ChatMessage, LanguageModel } from '@bowyer/models';
import { loadChatTemplate } from './chat-setup.js';
import { environmentOf } from './environments.js';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

type PlayContext = Pick<TaskContext, 'envParts' | 'log'>;

export function playerOf(policy: LanguageModel, config: RunConfig, context: PlayContext): OpenPlayer {
  return async (sampling) =>
    PolicyPlayer.open(policy, config.slots, sampling, await dialoguesOf(policy, config, context));
}

/** With `play_as_chat` the template says how, else the text of the history stands for itself. */
export async function dialoguesOf(
  { tokenizer }: LanguageModel,
  config: RunConfig,
  { envParts, log }: PlayContext,
): Promise<Dialogues> {
  if (!config.playAsChat) return textDialogues(tokenizer);
  const template = await loadChatTemplate(config, tokenizer);
  const opening = await openingOf(config, envParts);
  return chatDialogues(tokenizer, { template, opening, onRewritten: () => log(REWRITTEN, 'WARNING') });
}

const REWRITTEN =
  'the chat template writes what was said before in another way as soon as more follows: such turns read the whole dialogue ' +
  'anew, which is exact but slower, and training runs through it once a turn';

/** AgentGym's instructions and the reply to them are messages of their own where the first observation does not hold them. */
async function openingOf(config: RunConfig, parts: EnvParts): Promise<ChatMessage[]> {
  if (config.env.instructions !== false) return [];
  const env = environmentOf(config, parts)();
  try {
    return env instanceof AgentGymEnv ? await env.opening() : [];
  } finally {
    await env.close();
  }
}
