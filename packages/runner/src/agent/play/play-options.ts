// Converts a run's config into the option objects that the algorithms of @bowyer/algorithms take.
import type { PlayOptions } from '@bowyer/algorithms';
import { unwatched, isRecord } from '@bowyer/core';
import type { Tokenizer } from '@bowyer/text';
import type { AgentConfig, NodePart } from '../keys/agent-keys.js';
import { terminatorIds } from '../chat/agent-tokens.js';

export type PlayConfig = Pick<AgentConfig, 'seed'> &
  NodePart<'play', 'slots' | 'maxFailureShare'> & {
    sampling: NodePart<'sampling', 'temperature' | 'topK' | 'topP' | 'maxNewTokens' | 'eosStr'>['sampling'] & {
      doSample?: boolean;
    };
  };

export function playOptions(config: PlayConfig, tokenizer: Tokenizer): PlayOptions {
  const { seed, play, sampling: given } = config;
  const { temperature, topK, topP, maxNewTokens, doSample = true } = given;
  const sampling = {
    temperature,
    topK,
    topP,
    greedy: !doSample,
    maxNewTokens,
    terminatorIds: terminatorIds(tokenizer, config),
  };
  return { seed, slots: play.slots, maxFailureShare: play.maxFailureShare, sampling };
}

/**
 * Returns the options of an algorithm and of the play of its episodes. Each option is read from the config only when the
 * algorithm reads it, so that the test for options that are never read can observe the reads.
 */
export function recipeOptions<Options extends object>(
  config: PlayConfig & { algorithm: Options & { name: string } },
  tokenizer: Tokenizer,
): Options & PlayOptions {
  const options = { ...playOptions(config, tokenizer) } as Record<string, unknown>;
  const { name: _, ...own } = unwatched(config.algorithm);
  for (const [key, value] of Object.entries(own))
    if (isRecord(value)) options[key] = config.algorithm[key as keyof Options];
    else Object.defineProperty(options, key, { enumerable: true, get: () => config.algorithm[key as keyof Options] });
  return options as typeof options & Options & PlayOptions;
}
