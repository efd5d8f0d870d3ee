// Computes the reward of an episode: by a module of the user, or by the task's answer.
import { resolve } from 'node:path';
import { shown } from '../contract/shown.js';
import { importUserModule } from '../user-modules.js';
import { isObject, type McpTask, type ToolCall } from './task-file.js';

/** A call of a tool with the server's answer. */
export interface CalledTool extends ToolCall {
  result: string;
  isError: boolean;
}

/** A turn of an episode. */
export interface TranscriptTurn {
  /** The text that the agent wrote. */
  action: string;
  /** The observation that it read after this. */
  observation: string;
  /** The calls that reached the server. */
  calls: readonly CalledTool[];
}

/** An episode in the form that a checker gets. */
interface CheckedEpisode {
  /** The row of the file of tasks. */
  task: Readonly<Record<string, unknown>>;
  /** The agent's answer; null where the turns ended before there was one. */
  answer: string | null;
  transcript: readonly TranscriptTurn[];
  /** The path of the episode's folder; null without one. */
  folder: string | null;
  /** Calls any tool of the server, also one that the agent may not call. */
  callTool(name: string, given?: Readonly<Record<string, unknown>>): Promise<{ text: string; isError: boolean }>;
}

/**
 * Judges an episode. It is the default export of a checker's module, and returns a reward, or one with further figures. `won`
 * is `reward >= 1` unless it says otherwise.
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
  /** Further members of the checker's result. */
  components: Readonly<Record<string, unknown>>;
}

/** The error for a checker's module that cannot be used, or that does not return a reward. */
class CheckerError extends Error {
  override readonly name = 'CheckerError';
}

/** Returns the rule without a checker: the answer is equal to that of the task, but for white space around it. */
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
  const { reward, won, ...components } = isObject(verdict) ? verdict : { reward: verdict };
  if (typeof reward !== 'number' || !Number.isFinite(reward))
    throw new CheckerError(
      `env.checker: '${name}' must return a finite number, or an object with one as reward; got ${shown(verdict)}`,
    );
  return { reward, won: typeof won === 'boolean' ? won : reward >= 1, components };
}
