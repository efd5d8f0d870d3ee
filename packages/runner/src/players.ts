// Who plays: the policy on the text of the history, or through its chat template.
import { ChatPlayer, PolicyPlayer, type OpenPlayer } from '@bowyer/algorithms';
import { AgentGymEnv, type EnvParts } from '@bowyer/envs';
import type { ChatMessage, LanguageModel } from '@bowyer/models';
import { loadChatTemplate } from './chat-setup.js';
import { environmentOf } from './environments.js';
import type { RunConfig } from './run-config.js';

export function playerOf(policy: LanguageModel, config: RunConfig, parts: EnvParts): OpenPlayer {
  const { slots, playAsChat } = config;
  if (!playAsChat) return (sampling) => PolicyPlayer.open(policy, slots, sampling);
  return async (sampling) => {
    const template = await loadChatTemplate(config, policy.tokenizer);
    return ChatPlayer.open(policy, { slots, sampling, template, opening: await openingOf(config, parts) });
  };
}

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
