// Computes the reward of an episode by a user's module (the checker), or by comparing the answer with the task's.
import { resolve } from 'node:path';
import { isRecord } from '@bowyer/core';
import { shown } from '../contract/shown.js';
import { importUserModule } from '../user-modules.js';
import type { McpTask, ToolCall } from './task-file.js';

export interface CalledTool extends ToolCall {
  result: string;
  isError: boolean;
}

/** A turn of an episode, in the form in which a checker (a user's reward function) gets it. */
export interface TranscriptTurn {
  action: string;
  observation: string;
  /** The tool calls that reached the MCP server; refused calls are not among them. */
  calls: readonly CalledTool[];
}

interface CheckedEpisode {
  /** The task's row in the task file. */
  task: Readonly<Record<string, unknown>>;
  /** The agent's final answer; null if the episode ended without one. */
  answer: string | null;
  transcript: readonly TranscriptTurn[];
  folder: string | null;
  /** Calls a tool of the MCP server, also one that the agent may not call, for example to inspect the result of the episode. */
  callTool(name: string, given?: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }>;
}

/**
 * Judges an episode. A checker's module has such a function as default export. It returns a reward, or an object with a reward
 * and further numbers. `won` is `reward >= 1` unless the object contains it.
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
  /** The members of the checker's result other than `reward` and `won`. */
  components: Readonly<Record<string, unknown>>;
}

class CheckerError extends Error {
  override readonly name = 'CheckerError';
}

/** Returns the default checker: the reward is 1 if the agent's answer equals the task's, apart from white space around it. */
export const exactMatch =
  ({ answer: right }: Pick<McpTask, 'answer'>): Checker =>
  ({ answer }) =>
    answer?.trim() === right?.trim() ? 1 : 0;

/** Imports the default export of a checker's module. @throws {CheckerError} if it cannot be loaded */
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

/** Calls a user's checker and reads the reward from its result. @throws {CheckerError} for anything but a finite reward */
export async function judged(checker: Checker, episode: CheckedEpisode, name: string): Promise<Judgement> {
  const verdict: unknown = await checker(episode);
  const { reward, won, ...components } = isRecord(verdict) ? verdict : { reward: verdict };
  if (typeof reward !== 'number' || !Number.isFinite(reward))
    throw new CheckerError(
      `env.checker: '${name}' must return a finite number, or an object with one as reward; got ${shown(verdict)}`,
    );
  return { reward, won: typeof won === 'boolean' ? won : reward >= 1, components };
}
