// A target of the fuzz tests: valid inputs and a reader, which must end soon, with a value or with an error that explains what is
// wrong.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rng } from '@bowyer/core';

export interface Target {
  /** The valid inputs, of which damaged copies are made. */
  seeds: readonly Uint8Array[];
  /** The number of inputs that are read at the same time; one if not given. */
  lanes?: number;
  /** The CPU time that an input may take, in milliseconds; two seconds if not given. */
  limitMs?: number;
  damage: (seed: Uint8Array, rng: Rng) => Uint8Array;
  read: (input: Uint8Array) => Promise<unknown>;
  close?: () => Promise<void>;
}

/** @param folder an empty folder for the target's files */
export type OpenTarget = (folder: string) => Target | Promise<Target>;

/** Makes a target whose input is one file. */
export const file =
  (name: string, seeds: readonly Uint8Array[], damage: Target['damage'], read: (path: string) => unknown): OpenTarget =>
  (folder) => ({
    seeds,
    damage,
    read: async (input) => {
      writeFileSync(join(folder, name), input);
      return read(join(folder, name));
    },
  });

/** The config of a small model. */
export const llama = {
  model_type: 'llama',
  hidden_size: 16,
  intermediate_size: 20,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  vocab_size: 40,
  max_position_embeddings: 96,
  rope_theta: 1e4,
  rms_norm_eps: 1e-5,
  architectures: ['X'],
};
