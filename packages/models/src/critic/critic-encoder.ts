// Declares a critic's text encoder: its parameters, its part of the graph, and its inputs for a batch of texts.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { Parameters } from '../layers/linear.js';
import type { HostTensors } from '@bowyer/checkpoints';

/** The features of N observations, of which the last may be padding. */
export interface CriticFeatures {
  /** [N, vWidth] the input of the V heads. */
  v: Value;
  /** [N, qWidth] the input of the Q heads; undefined in a graph without actions. */
  q?: Value;
}

/** The inputs of one batch. */
export interface CriticFeeds {
  /** Graph inputs of one batch. */
  inputs: Record<string, { dims: number[]; data: Float32Array | Int32Array | BigInt64Array }>;
  /** N: the number of observations, padding included. */
  rows: number;
  /** [at most N] the index in the call of each row's observation. */
  items: number[];
}

/** Encodes observations and actions as features for the heads of a critic. */
export interface CriticEncoder {
  readonly qWidth: number;
  readonly vWidth: number;
  /** Width of the heads' hidden layers. */
  readonly hiddenWidth: number;
  /** Draws the initial parameters; may be called once. */
  initialParameters(rng: Rng): HostTensors;
  /** Declares the graph inputs that `feeds` fills, and computes the features. */
  build(g: GraphBuilder, parameters: Parameters, options: { withActions: boolean }): CriticFeatures;
  /**
   * Makes one or several batches that together contain each observation once. The encoder decides which observations share a
   * batch.
   *
   * @param actions one for each observation, or null for a graph without actions
   * @param sized rounds up sizes that vary (see few-sizes.ts)
   */
  feeds(
    observations: readonly string[],
    actions: readonly string[] | null,
    sized: (size: number) => number,
  ): CriticFeeds[];
  /** Writes settings and tokenizer into a checkpoint, for readers. */
  save(dir: string): Promise<void>;
  /** Writes settings, tokenizer and the encoder's part of the critic's parameters, as initial weights for another run. */
  savePretrained(dir: string, parameters: HostTensors): Promise<void>;
}
