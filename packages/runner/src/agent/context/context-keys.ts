// Defines the config node `context`, which decides how the text is made that the policy and the critic read in a turn. The schema
// has only the options of the node's `kind`.
import { findAlgorithm, type ActionChoice } from '@bowyer/algorithms';
import { Type, type TProperties, type TSchema } from '@sinclair/typebox';
import { nullable, oneOf, toSnakeCase, oneProblem, type ConfigProblem } from '@bowyer/core';
import {
  contextKinds,
  contextProblems,
  defaultOffer,
  environmentInfo,
  environmentNames,
  keysOfKind,
  type ContextKind,
  type ContextOptions,
} from '@bowyer/envs';
import { contextOf, type ContextConfig } from './agent-context.js';
import type { Choices } from '../keys/choices.js';
import type { EnvConfig } from '../environment/environment-keys.js';

const part = (what: string) => Type.Boolean({ description: `show ${what}, where the environment offers it` });

const properties = {
  kind: oneOf(
    [...contextKinds],
    'dialogue: everything said so far; window: the last turns; last: the current observation; tutorial: a prompt with # TASK and # STEP; auto: the environment’s own choice, which its page states',
  ),
  history_turns: Type.Integer({ minimum: 0, description: 'earlier turns, with their actions, before the current one' }),
  task_description: part('the task above the turns'),
  step_counter: Type.Boolean({ description: 'show the number of each turn, from 0' }),
  inventory: part('the agent’s inventory'),
  valid_actions: part('the actions that are valid now'),
  max_chars: nullable(
    Type.Integer({ minimum: 1 }),
    'longest text in characters; the oldest turns are left out until it fits, but never the task or the current turn; null: no limit',
  ),
};

const nodeOf = (keys: readonly string[]) =>
  Type.Object(Object.fromEntries(['kind', ...keys].map((key) => [key, properties[key as keyof typeof properties]])), {
    additionalProperties: false,
    description: 'the text that the policy and the critic read',
  });

/** Returns the options of the config node `context` for tasks in which an agent plays or learns to play. */
export function contextKeys({ setting }: Choices): TProperties {
  const kind = setting('context.kind');
  const isKnown = contextKinds.includes(kind as ContextKind);
  return { context: isKnown ? nodeOf(keysOfKind[kind as ContextKind].map(toSnakeCase)) : contextNode };
}

export const contextNode: TSchema = nodeOf(Object.keys(properties).slice(1));

/** Reports options of the config node `context` for information that the environment cannot provide. */
export function contextKeyProblems(config: Record<string, unknown>): ConfigProblem[] {
  const { env, context } = config as { env: EnvConfig; context?: ContextOptions };
  if (context === undefined) return [];
  const { name, ...options } = env;
  return contextProblems(context, name, environmentInfo(name).context?.(options) ?? defaultOffer);
}

/**
 * Returns why an agent cannot be limited to the environment's valid actions: the environment does not list them, or the algorithm
 * would learn wrongly.
 */
export function actionChoiceProblems(config: Record<string, unknown>): ConfigProblem[] {
  const {
    task,
    env,
    play,
    algorithm: own,
  } = config as {
    task: { name: string };
    env: EnvConfig;
    algorithm: { name: string };
    play?: { actionChoice?: ActionChoice };
  };
  const { actionChoice = 'free' } = play ?? {};
  if (actionChoice === 'free') return [];
  const problem = (message: string, remedy: string): ConfigProblem[] =>
    oneProblem('play.action_choice', `play.action_choice=${actionChoice}: ${message}`, remedy);
  const { name, ...options } = env;
  const offer = environmentInfo(name).context?.(options) ?? defaultOffer;
  if (!offer.parts.includes('validActions'))
    return problem(`${name} does not list its valid actions`, 'write play.action_choice=free');
  const algorithm = findAlgorithm(own.name);
  if (algorithm?.playsWithCritic || algorithm?.alwaysSamples)
    return problem(
      `the player of ${algorithm.name} writes freely and then chooses by itself`,
      'write play.action_choice=free',
    );
  if (task.name !== 'train' || algorithm === undefined) return [];
  const { trainsWithChoices = [] } = algorithm;
  if (algorithm.needs.source === 'dataset' || trainsWithChoices.includes(actionChoice))
    return algorithm.choiceProblems?.(own) ?? [];
  const known = ['free', ...trainsWithChoices].map((value) => `play.action_choice=${value}`).join(' or ');
  return problem(
    `${algorithm.name} learns from the log-probabilities with which its policy has sampled, and a choice among valid actions has others`,
    `write ${known}; for a trained policy, task=evaluate play.action_choice=scored`,
  );
}

/**
 * Reports an algorithm that needs an expert's actions if the environment has no expert, or if they cannot be used in a dialogue.
 */
export function expertProblems(config: Record<string, unknown>): ConfigProblem[] {
  const { task, env, context, algorithm } = config as {
    task: { name: string };
    env: EnvConfig;
    context: ContextOptions;
    algorithm: { name: string; expert?: { labels?: string } };
  };
  if (task.name !== 'train' || !findAlgorithm(algorithm.name)?.needs.expert) return [];
  const { name, ...options } = env;
  const info = environmentInfo(name);
  if (info.hasExpert?.(options)) {
    const isHistory = info.context?.(options).observation === 'history';
    if (algorithm.expert?.labels !== 'all' || (!isHistory && contextOf({ env, context }).kind !== 'dialogue'))
      return [];
    return oneProblem(
      'algorithm.expert.labels',
      'algorithm.expert.labels=all: the text of each turn continues the text before it, in which the label would take the place of the action that was played',
      `write algorithm.expert.labels=played; or context=last or context=window${isHistory ? ' with observations of single turns, where the environment has them (env.observation)' : ''}`,
    );
  }
  const able = environmentNames().filter((other) => environmentInfo(other).hasExpert !== undefined);
  return oneProblem(
    'algorithm',
    `${algorithm.name} asks the environment's expert for an action in every state that the policy reaches; ${name} has no such expert with these options`,
    `choose an environment that has one in this process: ${able.join(', ')}; or imitate demonstrations with algorithm=bc`,
  );
}

/** Reports options that differ from those with which the agent was trained: it would play badly without an error. */
export function contextChanged(
  folder: string,
  { env, context: now }: ContextConfig,
  trained: ContextConfig,
): ConfigProblem[] {
  // For an environment on which the agent was trained, only the contexts are compared, so that its present options are used for
  // both. Any other environment belongs to the mixture on which the agent was trained, and is read in the mixture's context.
  const trainedEnv = trained.env.name === env.name ? env : trained.env;
  const [before, after] = [contextOf({ ...trained, env: trainedEnv }), contextOf({ env, context: now })];
  const differing = (Object.keys(before) as (keyof typeof before)[]).filter((key) => before[key] !== after[key]);
  if (differing.length === 0) return [];
  const given = (context: typeof before) =>
    differing.map((key) => `${toSnakeCase(key)}=${String(context[key])}`).join(' ');
  return oneProblem(
    'context.kind',
    `the agent in ${folder} was trained with another context: ${given(before)}; now ${given(after)}`,
    `write context=${trained.context.kind}${differing.length > 1 || trained.context.kind === now.kind ? ' with the keys of that run' : ''}`,
  );
}
