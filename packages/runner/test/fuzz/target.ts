// A target has valid inputs and a reader, which must end soon: with a value, or with an error that says what is wrong.
import type { Rng } from '@bowyer/core';

export interface Target {
  /** Valid inputs. */
  seeds: readonly Uint8Array[];
  /** Inputs that are read at once; one if not given. */
  lanes?: number;
  damage: (seed: Uint8Array, rng: Rng) => Uint8Array;
  read: (input: Uint8Array) => Promise<unknown>;
  close?: () => Promise<void>;
}

/** @param folder an empty one for the target's files */
export type OpenTarget = (folder: string) => Target | Promise<Target>;
