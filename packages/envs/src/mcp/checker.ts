// Computes the reward of an episode, by a user's module or by the task's answer.
import { resolve } from 'node:path';
import { isRecord } from '@bowyer/core';
import { shown } from '../contract/shown.js';
import { importUserModule } from '../user-modules.js';
import type { McpTask, ToolCall } from './task-file.js';

/** A call of a tool and the result. */
export interface CalledTool extends ToolCall {
  result: string;
  isError: boolean;
}

/** A turn of an episode. */
export interface TranscriptTurn {
  action: string;
  observation: string;
  /** The calls that reached the server, without refused ones. */
  calls: readonly CalledTool[];
}

/** An episode as a checker gets it. */
interface CheckedEpisode {
  /** The row of the task file. */
  task: Readonly<Record<string, unknown>>;
  /** The agent's answer; null if the episode ended without one. */
  answer: string | null;
  transcript: readonly TranscriptTurn[];
  folder: string | null;
  /** Calls a tool of the server, even if the agent may not call it. */
  callTool(name: string, given?: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }>;
}

/**
 * Judges an episode. It is the default export of a checker's module, and returns a reward, or an object with a reward and further
 * numbers. `won` is `reward >= 1` unless the object has it.
 */
export type Checker = (
  episode: CheckedEpisode,
) =>
  | number
  | ({ reward: number; won?: boolean } & Record<string, unknown>)
  | Promise<number | ({ reward: number } & Record<string, unknown>)>;

export interface Judgement {
  reward: number;
  won: boolean;
  /** The other members of the checker's result. */
  components: Readonly<Record<string, unknown>>;
}

/** The error for a checker's module that cannot be used or returns no reward. */
class CheckerError extends Error {
  override readonly name = 'CheckerError';
}

/** Returns the default checker: the answer must equal the task's answer; white space around it is ignored. */
export const exactMatch =
  ({ answer: right }: Pick<McpTask, 'answer'>): Checker =>
  ({ answer }) =>
    answer?.trim() === right?.trim() ? 1 : 0;

/** Loads a module. @throws {CheckerError} */
export async function loadChecker(path: string): Promise<Checker> {
  let module: { default?: unknown };
  try {
    module = await importUserModule(resolve(path));
  } catch (cause) {
    throw new CheckerError(`env.checker: '${path}' failed to load: ${(cause as Error).message}`, { cause });
  }
  if (typeof module.default === 'function') return module.default as Checker;
  throw new CheckerError(
    `env.checker: the default export of '${path}' must be a function of an episode; got ${shown(module.default)}`,
  );
}

/** Calls a checker. @throws {CheckerError} for anything but a finite reward */
export async function judged(checker: Checker, episode: CheckedEpisode, name: string): Promise<Judgement> {
  const verdict: unknown = await checker(episode);
  const { reward, won, ...components } = isRecord(verdict) ? verdict : { reward: verdict };
  if (typeof reward !== 'number' || !Number.isFinite(reward))
    throw new CheckerError(
      `env.checker: '${name}' must return a finite number, or an object with one as reward; got ${shown(verdict)}`,
    );
  return { reward, won: typeof won === 'boolean' ? won : reward >= 1, components };
}
