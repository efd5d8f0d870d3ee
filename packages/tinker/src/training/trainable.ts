// Declares the server's interface to training: one LoRA adapter per model, over a base that is in memory once.

import type { LanguageModel } from '@bowyer/models';

/** One training sequence. */
export interface Datum {
  /** The input tokens, [N]. */
  tokens: Int32Array;
  /** The targets of each position, [N] or [N × width], row by row. */
  targets: Int32Array;
  /** The number of targets of a position: above 1 only in the N×K form of cross_entropy. */
  width: number;
  /** The inputs of the loss by name (`weights`, `logprobs` or `advantages`), each [N] or [N × width] numbers. */
  inputs: Readonly<Record<string, Float32Array>>;
}

export type LossName = 'cross_entropy' | 'importance_sampling' | 'ppo' | 'cispo' | 'dro';

export interface LossRequest {
  /** A LossName; other names are refused. */
  name: string;
  config: Readonly<Record<string, number>>;
}

export interface LossReport {
  /** The log-probabilities of each datum in nats, [N] or [N × width]. */
  logprobs: Float32Array[];
  /** The sum over tokens and datums. */
  loss: number;
  /** Metrics with names of the form `name:reduction`. */
  metrics: Record<string, number>;
}

export interface AdamParams {
  learningRate: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** The bound of the norm of all gradients; 0 for no bound. */
  gradClipNorm: number;
}

export interface LoraShape {
  rank: number;
  /** The seed of the adapter's initial values. */
  seed: number;
  trainAttn: boolean;
  trainMlp: boolean;
  trainUnembed: boolean;
}

/** One LoRA adapter over the shared base. Calls for one model run one after another; those for several models may overlap. */
export interface TrainableModel {
  forwardBackward(data: readonly Datum[], loss: LossRequest, options: { forwardOnly: boolean }): Promise<LossReport>;
  optimStep(params: AdamParams): Promise<Record<string, number>>;
  /** Saves the adapter (a PEFT folder), the optimizer's state, and unused gradients, completely or not at all. */
  save(folder: string): Promise<void>;
  /** Saves the adapter as a PEFT folder, which the server's `adapters` can load. */
  saveForSampler(folder: string): Promise<void>;
  load(folder: string, options: { optimizer: boolean }): Promise<void>;
  /** The bytes in memory. */
  readonly bytes: number;
  /** Returns the most bytes of the files that `save`, or `saveForSampler`, would write now. */
  bytesOnDisk(files: 'state' | 'sampler'): number;
  close(): Promise<void>;
}

/** The paths of the layers of each flag. A head that shares the embedding's weights has no separate layer. */
export interface TrainableModules {
  attn: readonly string[];
  mlp: readonly string[];
  unembed: readonly string[];
}

/** The base, which is in memory once for all models. */
export interface TrainingBase {
  /** The base itself, for sampling with adapters by name. */
  readonly model: LanguageModel;
  /** The layers of each flag of a shape. */
  readonly trainableModules: TrainableModules;
  create(shape: LoraShape): Promise<TrainableModel>;
  close(): Promise<void>;
}
