// Loads the user's module for `verifiers`: reward functions and, for episodes of several turns, the function `respond`.
import { resolve } from 'node:path';
import { toCamelCase } from '@bowyer/core';
import { importUserModule } from '../user-modules.js';
import { answerField, type Fields } from './fields.js';
import type { VerifiersOptions } from './options.js';
import type { VerifiersMessage } from './task.js';

/** The episode so far, as the user's functions receive it. */
export interface VerifiersEpisode<Info = unknown> {
  prompt: readonly VerifiersMessage[];
  /** All messages after the prompt: those of the agent and of the user's function `respond`. */
  completion: readonly VerifiersMessage[];
  text: string;
  /** The fields between tags in the agent's last message, whose names are in the option `env.fields`. */
  fields: Fields;
  /** The right answer; null if the task's line has none. */
  answer: string | null;
  info: Info;
  /** All columns of the task's line in the file. */
  row: Readonly<Record<string, unknown>>;
  /** An object in which the user's functions can keep their own values. It is empty at the beginning of each episode. */
  state: Record<string, unknown>;
  /** The number of turns that the agent has taken so far, from 1. */
  turn: number;
}

/** A user's function that computes a reward of an episode, or, with the weight 0, only a metric. `true` counts as 1. */
export type VerifiersReward<Info = unknown> = (
  episode: VerifiersEpisode<Info>,
) => number | boolean | Promise<number | boolean>;

/** A user's function that returns the next message to the agent, or null to end the episode. */
export type VerifiersRespond<Info = unknown> = (
  episode: VerifiersEpisode<Info>,
) => string | null | Promise<string | null>;

type Weights = Readonly<Record<string, number>>;

export interface RewardModule {
  rewards: readonly { name: string; weight: number; judge: VerifiersReward }[];
  /** The user's function that answers the agent; null: an episode has one turn. */
  respond: VerifiersRespond | null;
}

/** The error for a user's module of reward functions that cannot be used. */
class RewardModuleError extends Error {
  override readonly name = 'RewardModuleError';
}

/** Loads the user's module of reward functions. @throws {RewardModuleError} with all faults of the module */
export async function rewardModule(
  options: Pick<VerifiersOptions, 'rewards' | 'weights' | 'fields'>,
): Promise<RewardModule> {
  const { rewards: path, fields } = options;
  const weights = options.weights ?? {};
  if (path === null) return moduleOf({ exact: statedAnswer(fields) }, weights, 'the reward of env.rewards=null');
  let exported: Record<string, unknown>;
  try {
    exported = await importUserModule(resolve(path));
  } catch (error) {
    throw new RewardModuleError(`env.rewards: '${path}' failed to load: ${(error as Error).message}`, { cause: error });
  }
  return moduleOf(exported, weights, `env.rewards: '${path}'`);
}

/** The reward function without a module: 1 if the reply, or its answer field, equals the file's answer, else 0. */
const statedAnswer =
  (names: readonly string[]): VerifiersReward =>
  ({ text, fields, answer }) => {
    const field = answerField(names);
    const stated = field === null ? text.trim() : fields[field];
    return answer !== null && stated === answer.trim();
  };

function moduleOf(exported: Record<string, unknown>, given: Weights, where: string): RewardModule {
  const { respond = null, weights: own = {}, ...others } = exported;
  const names = Object.keys(others).sort();
  const faults = [
    ...names.filter((name) => name === 'default' || typeof others[name] !== 'function').map(notReward),
    ...(respond === null || typeof respond === 'function' ? [] : ['respond must be a function']),
    ...weightFaults(own, names, 'the exported weights'),
    ...weightFaults(given, names, 'env.weights'),
    ...(names.length === 0 ? ['it exports no function: export function correct({ text, answer }) { … }'] : []),
  ];
  if (faults.length > 0) throw new RewardModuleError([where, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
  const weightOf = (name: string) => named(given, name) ?? named(own as Weights, name) ?? 1;
  const rewards = names.map((name) => ({ name, weight: weightOf(name), judge: others[name] as VerifiersReward }));
  return { rewards, respond: respond as VerifiersRespond | null };
}

const notReward = (name: string) =>
  name === 'default'
    ? 'a default export has no name: export each reward by its own'
    : `${name} is no function: rewards, respond and weights are exported, nothing else`;

/** Returns a reward function's weight, which may be under its camelCase name, to which config keys are converted. */
const named = (weights: Weights, name: string): number | undefined => weights[name] ?? weights[toCamelCase(name)];

function weightFaults(weights: unknown, names: readonly string[], what: string): string[] {
  if (typeof weights !== 'object' || weights === null) return [`${what} must be an object of numbers by name`];
  return Object.entries(weights).flatMap(([key, weight]) => {
    if (!names.some((name) => name === key || toCamelCase(name) === key))
      return [`${what} name ${key}, which is no reward: those are ${names.join(', ')}`];
    return Number.isFinite(weight) ? [] : [`${what}: ${key} must be a finite number`];
  });
}

/** The result of an episode: the weighted sum of its rewards, and each reward by its function's name. */
export interface Judgement {
  reward: number;
  components: Record<string, number>;
}

/** Computes the reward of a finished episode. @throws {RewardModuleError} if a function throws or returns no finite number */
export async function judgeEpisode(
  { rewards }: RewardModule,
  episode: VerifiersEpisode,
  id: string,
): Promise<Judgement> {
  const components: Record<string, number> = {};
  for (const { name, judge } of rewards) {
    const value = Number(await called(() => judge(episode), name, id));
    if (!Number.isFinite(value))
      throw new RewardModuleError(
        `verifiers: ${name} of the task ${id} must return a finite number; it returned ${value}`,
      );
    components[name] = value;
  }
  const reward = rewards.reduce((sum, { name, weight }) => sum + weight * components[name], 0);
  return { reward, components };
}

/** Calls a user's function and returns its result. If it throws, the function's name and the task's id are added to the error. */
export async function called<T>(call: () => T | Promise<T>, name: string, id: string): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RewardModuleError(`verifiers: ${name} of the task ${id} failed: ${reason}`, { cause: error });
  }
}
