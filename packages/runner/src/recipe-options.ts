// From the run's config to the plain options that recipes take.
import type { PlayOptions } from '@bowyer/algorithms';
import type { Tokenizer } from '@bowyer/models';
import { agentTokens } from './agent-tokens.js';
import type { RunConfig } from './run-config.js';

export function playOptions(config: RunConfig, tokenizer: Tokenizer): PlayOptions {
  const { seed, slots, temperature, topK, topP, doSample, maxNewTokens, maxFailureShare } = config;
  const { terminatorIds } = agentTokens(tokenizer, config);
  const sampling = { temperature, topK, topP, greedy: !doSample, maxNewTokens, terminatorIds };
  return { seed, slots, maxFailureShare, sampling };
}

/** Config keys and option names are the same words, so only what is made from several keys is named here. */
export function recipeOptions(config: RunConfig, tokenizer: Tokenizer): RunConfig & PlayOptions {
  return { ...config, ...playOptions(config, tokenizer) };
}
