// Who decides what is said in the episodes that wait for the agent.
import type { Rng, TokenSegment } from '@bowyer/core';

/** A slot that waits for the agent. */
export interface ReadyTurn {
  slot: number;
  /** 0 for the first turn of an episode. */
  turn: number;
  observation: string;
  /** At turn 0: the tokens that stood for the observation when it was played before. */
  ids?: readonly number[];
  /** The episode's own stream of random numbers. */
  rng: Rng;
}

/** Decides what to say in every ready slot. */
export interface Player {
  /** @returns one action a ready turn, in the same order; an error where none can be had, which ends that episode as failed */
  act(ready: ReadyTurn[]): Promise<(string | Error)[]>;
  /** The tokens of the episode that ended in `slot`. */
  takeSegments(slot: number): TokenSegment[];
  close(): Promise<void>;
}
