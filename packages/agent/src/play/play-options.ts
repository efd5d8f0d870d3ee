// Makes the plain options that algorithms take from a run's config.
import type { PlayOptions } from '@bowyer/algorithms';
import type { Tokenizer } from '@bowyer/text';
import type { AgentConfig } from '../keys/agent-keys.js';
import { terminatorIds } from '../chat/agent-tokens.js';

export type PlayConfig = Pick<
  AgentConfig,
  'seed' | 'slots' | 'maxFailureShare' | 'temperature' | 'topK' | 'topP' | 'maxNewTokens' | 'eosStr'
> &
  Partial<Pick<AgentConfig, 'doSample'>>;

export function playOptions(config: PlayConfig, tokenizer: Tokenizer): PlayOptions {
  const { seed, slots, maxFailureShare, temperature, topK, topP, maxNewTokens, doSample = true } = config;
  const sampling = {
    temperature,
    topK,
    topP,
    greedy: !doSample,
    maxNewTokens,
    terminatorIds: terminatorIds(tokenizer, config),
  };
  return { seed, slots, maxFailureShare, sampling };
}

/**
 * The options of an algorithm: config keys and option names are the same words, so only what is made from several keys is
 * added. Keys are read from the config when the algorithm reads them, so that the test of unread keys sees which those are.
 */
export function recipeOptions<Config extends PlayConfig>(config: Config, tokenizer: Tokenizer): Config & PlayOptions {
  const options = { ...playOptions(config, tokenizer) } as Record<string, unknown>;
  for (const key of Object.keys(config)) {
    if (key in options) continue;
    Object.defineProperty(options, key, { enumerable: true, get: () => config[key as keyof Config] });
  }
  return options as typeof options & Config & PlayOptions;
}
