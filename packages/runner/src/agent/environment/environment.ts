// Makes the environment that the config node `env` describes.
import {
  makeEnv,
  makeSplitEnv,
  environmentInfo,
  splitPlan,
  type Env,
  type EnvParts,
  type ResetResult,
  type Split,
  type SplitPlan,
  type WrappingEnv,
} from '@bowyer/envs';
import { isTraced, timed, type Span } from '@bowyer/core';
import type { EnvConfig } from './environment-keys.js';

export type EnvironmentConfig = { env: EnvConfig };

/** Returns whether the config has an environment. With an agent that is a user's program it has none. */
export const hasEnvironment = (config: Partial<EnvironmentConfig>): config is EnvironmentConfig =>
  config.env !== undefined;

export function environmentOptions(config: EnvironmentConfig): Record<string, unknown> {
  const { name: _, ...options } = config.env;
  return options;
}

/** Returns a function that makes the environment of the config for a split (train, evaluation or test), whose items it plays. */
export function environmentOf(config: EnvironmentConfig, parts: EnvParts): (split: Split) => Env {
  const options = environmentOptions(config);
  const { name } = config.env;
  return (split) => traced(name, makeSplitEnv(name, split, options, parts));
}

/** Wraps an environment so that its calls are recorded as spans of a trace. */
function traced(name: string, env: Env): Env | WrappingEnv {
  if (!isTraced()) return env;
  return {
    inner: env,
    reset: (options) =>
      timed(
        'environment',
        `${name} reset`,
        () => env.reset(options),
        () => ({ ...options }),
      ),
    step: (action) =>
      timed(
        'environment',
        `${name} step`,
        () => env.step(action),
        (step): Span['attributes'] => (step ? { reward: step.reward } : {}),
      ),
    expertReply: () => env.expertReply?.() ?? null,
    close: () => env.close(),
  };
}

/** Makes an environment that plays the items of all splits. */
export const wholeEnvironmentOf = (config: EnvironmentConfig, parts: EnvParts): Env =>
  makeEnv(config.env.name, environmentOptions(config), parts);

/** Returns how the environment's items are divided into splits. */
export const splitPlanOf = (config: EnvironmentConfig): SplitPlan =>
  splitPlan(config.env.name, environmentOptions(config));

/** Makes the environment for the task `replay`, with the options that recordings of its original implementation require. */
export function replayEnvironment(config: EnvironmentConfig): Env {
  const { name } = config.env;
  return makeEnv(name, { ...environmentOptions(config), ...environmentInfo(name).replay?.options });
}

/** Returns the observation as the original implementation writes it, without the text that our environment adds. */
export const engineText = ({ env }: EnvironmentConfig, result: ResetResult): string =>
  environmentInfo(env.name).replay?.engineText?.(result) ?? result.observation;

/**
 * Lists the environment's own answers: a word-level tokenizer keeps each as one token, and the token is masked when an agent
 * samples.
 */
export const answerTokens = (config: EnvironmentConfig): readonly string[] =>
  environmentInfo(config.env.name).tokens?.answers?.(environmentOptions(config)) ?? [];

/** Lists texts whose words belong to the vocabulary of a word-level tokenizer, in addition to those of the demonstrations. */
export const vocabularyTexts = (config: EnvironmentConfig): Iterable<string> =>
  environmentInfo(config.env.name).tokens?.vocabulary?.(environmentOptions(config)) ?? [];

/** Returns which words a word-level tokenizer splits into characters: digits or codes. */
export const spelling = ({ env }: EnvironmentConfig): { spells?: 'digits' | 'codes' } => {
  const spells = environmentInfo(env.name).tokens?.spells;
  return spells ? { spells } : {};
};

/** The expected return of a player that may ask only the demonstrations' questions; null where it cannot be computed. */
export function optimalReturnOf(config: EnvironmentConfig & { demonstrations?: object }): number | null {
  const { evaluation } = environmentInfo(config.env.name);
  return config.demonstrations === undefined
    ? null
    : (evaluation?.optimalReturn?.(environmentOptions(config), config.demonstrations) ?? null);
}
