// Plays an environment for one MCP client: one episode at a time, one call after another. Errors say which tool to call next.
import type { Env } from '@bowyer/envs';
import { faultMessage } from '../http/excerpt.js';

export interface PlayedTurn {
  observation: string;
  /** The reward of this step; 0 after a reset. */
  reward: number;
  terminated: boolean;
  truncated: boolean;
  /** The sum of the rewards since the reset. */
  episodicReturn: number;
  /** The number of steps since the reset. */
  steps: number;
  /** Absent where the environment does not report it. */
  won?: boolean;
}

/** The call is impossible in the episode's state, or the environment refused it. The message says which tool to call next. */
export class PlayError extends Error {
  override readonly name = 'PlayError';
}

interface PlayerOptions {
  makeEnv: () => Env;
  /** Receives errors thrown by the environment, which the player sees as a failed call. */
  onFault?: (error: Error) => void;
}

export class Player {
  /** Null until the first episode. */
  #env: Env | null = null;
  #turn: PlayedTurn | null = null;
  #actions: string[] | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(private readonly options: PlayerOptions) {}

  /** Begins an episode, and ends the previous one. @throws {PlayError} where the environment refuses the options */
  reset(reset: object): Promise<PlayedTurn> {
    return this.#inOrder(async () => {
      this.#turn = null;
      const { observation, info } = await this.#asked(
        () => (this.#env ??= this.options.makeEnv()).reset(reset),
        'Call reset again: with another item or seed, or without arguments.',
      );
      this.#actions = actionsOf(info);
      const none = { reward: 0, terminated: false, truncated: false, episodicReturn: 0, steps: 0 };
      return (this.#turn = { observation, ...none });
    });
  }

  /** Throws PlayError before the first reset, after the end, or where the environment fails, which ends the episode. */
  step(action: string): Promise<PlayedTurn> {
    return this.#inOrder(async () => {
      const before = this.#running();
      this.#turn = null; // there is no turn until the environment has answered
      const result = await this.#asked(
        () => this.#env!.step(action),
        'The episode is lost. Call reset for another one.',
      );
      const { observation, reward, terminated, truncated, info } = result;
      this.#actions = actionsOf(info);
      const episodicReturn = before.episodicReturn + reward;
      const won = typeof info.won === 'boolean' ? { won: info.won } : {};
      const steps = before.steps + 1;
      return (this.#turn = { observation, reward, terminated, truncated, episodicReturn, steps, ...won });
    });
  }

  /** Returns the valid actions; null where the environment does not list them. @throws {PlayError} like `step` */
  actions(): Promise<readonly string[] | null> {
    return this.#inOrder(() => {
      this.#running();
      return Promise.resolve(this.#actions);
    });
  }

  /** Closes the environment after the call in progress. */
  close(): Promise<void> {
    return this.#queued(async () => {
      this.#isClosed = true;
      await this.#env?.close();
    });
  }

  #running(): PlayedTurn {
    const turn = this.#turn;
    if (turn === null) throw new PlayError('No episode is running. Call reset to begin one.');
    if (!hasEnded(turn)) return turn;
    const { steps, episodicReturn } = turn;
    throw new PlayError(
      `The episode has ended after ${steps} steps with a return of ${episodicReturn}. Call reset for another one.`,
    );
  }

  async #asked<T>(work: () => Promise<T>, next: string): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.options.onFault?.(error instanceof Error ? error : new Error(String(error)));
      throw new PlayError(`${faultMessage(error)}\n${next}`);
    }
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    return this.#queued(() => {
      if (this.#isClosed) throw new PlayError('The session has ended. Connect again.');
      return work();
    });
  }

  #queued<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

export const hasEnded = ({ terminated, truncated }: PlayedTurn): boolean => terminated || truncated;

const actionsOf = ({ validActions }: Record<string, unknown>): string[] | null =>
  Array.isArray(validActions) ? validActions.map(String) : null;
