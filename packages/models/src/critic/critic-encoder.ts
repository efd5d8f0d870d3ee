// The interface of a critic's text encoder: parameters, its part of the graph, and the feeds for a batch of texts.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { Parameters } from '../layers/linear.js';
import type { HostTensors } from '@bowyer/checkpoints';

/** Features of N rows; rows behind the last observation are padding. */
export interface CriticFeatures {
  /** [N, vWidth] what the V heads read. */
  v: Value;
  /** [N, qWidth] what the Q heads read; absent in a graph without actions. */
  q?: Value;
}

export interface CriticFeeds {
  /** Graph inputs of one batch. */
  inputs: Record<string, { dims: number[]; data: Float32Array | Int32Array | BigInt64Array }>;
  /** N: the number of observations with padding. */
  rows: number;
  /** [at most N] which observations the rows are, by their index in the call. */
  items: number[];
}

export interface CriticEncoder {
  readonly qWidth: number;
  readonly vWidth: number;
  /** Width of the heads' hidden layers. */
  readonly hiddenWidth: number;
  /** Draws the parameters at the start; may be called once. */
  initialParameters(rng: Rng): HostTensors;
  /** Declares the inputs that `feeds` fills and computes the features. */
  build(g: GraphBuilder, parameters: Parameters, options: { withActions: boolean }): CriticFeatures;
  /**
   * Makes one batch or several, which together contain each observation once: the encoder decides what is read together.
   *
   * @param actions one for each observation, or null for a graph without actions
   */
  feeds(observations: readonly string[], actions: readonly string[] | null): CriticFeeds[];
  /** Writes settings and tokenizer, for a checkpoint's reader. */
  save(dir: string): Promise<void>;
  /** Writes settings, tokenizer and its own share of the critic's parameters, as a start for another run. */
  savePretrained(dir: string, parameters: HostTensors): Promise<void>;
}
