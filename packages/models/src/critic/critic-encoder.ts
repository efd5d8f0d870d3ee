// Declares the interface of a critic's text encoder, which turns observations and actions into features: its parameters, its part
// of the graph, and its inputs for a batch of texts.
import type { Rng } from '@bowyer/core';
import type { GraphBuilder, Value } from '@bowyer/graph';
import type { Parameters } from '../layers/linear.js';
import type { HostTensors } from '@bowyer/checkpoints';

/** The features of a batch of N observations; the last rows may be padding. */
export interface CriticFeatures {
  /** [N, vWidth] the features that the V heads read. */
  v: Value;
  /** [N, qWidth] the features that the Q heads read; undefined in a graph without actions. */
  q?: Value;
}

/** The inputs of the encoder for one batch. */
export interface CriticFeeds {
  /** Tensors for the graph inputs that `CriticEncoder.build` declares, by name. */
  inputs: Record<string, { dims: number[]; data: Float32Array | Int32Array | BigInt64Array }>;
  /** N, the number of observations in the batch, padding included. */
  rows: number;
  /** [at most N] for each row that is not padding, the index of its observation in the call. */
  items: number[];
}

/** Encodes observations and actions as features for the heads of a critic. */
export interface CriticEncoder {
  readonly qWidth: number;
  readonly vWidth: number;
  /** The width of the hidden layers of the critic's heads. */
  readonly hiddenWidth: number;
  /** Draws the initial parameters. It may be called only once. */
  initialParameters(rng: Rng): HostTensors;
  /** Declares the graph inputs for which `feeds` makes tensors, and builds the computation of the features. */
  build(g: GraphBuilder, parameters: Parameters, options: { withActions: boolean }): CriticFeatures;
  /**
   * Makes batches that together contain each observation once, divided as the encoder decides.
   *
   * @param actions one for each observation, or null for a graph without actions
   * @param sized rounds up the sizes of a batch, so that few tensor shapes occur (see few-sizes.ts)
   */
  feeds(
    observations: readonly string[],
    actions: readonly string[] | null,
    sized: (size: number) => number,
  ): CriticFeeds[];
  /** Writes the encoder's settings and tokenizer into a checkpoint, so that it says to which encoder its parameters belong. */
  save(dir: string): Promise<void>;
  /** Writes settings, tokenizer and the encoder's share of `parameters`, with which another run can initialize its critic. */
  savePretrained(dir: string, parameters: HostTensors): Promise<void>;
}
