// Declares the interface between the Tinker server and training: each model is a LoRA adapter over a shared base model.

import type { LanguageModel } from '@bowyer/models';

/** One training sequence of a request. */
export interface Datum {
  /** The input tokens, [N]. */
  tokens: Int32Array;
  /** The target tokens of each position, [N] or [N × width], row by row. */
  targets: Int32Array;
  /** The number of targets per position; above 1 only for cross_entropy with several targets per position. */
  width: number;
  /** The inputs of the loss by name (`weights`, `logprobs` or `advantages`), each [N] or [N × width] numbers. */
  inputs: Readonly<Record<string, Float32Array>>;
}

export type LossName = 'cross_entropy' | 'importance_sampling' | 'ppo' | 'cispo' | 'dro';

export interface LossRequest {
  /** The name of a loss of the Tinker API; other names are refused. */
  name: string;
  config: Readonly<Record<string, number>>;
}

export interface LossReport {
  /** The log-probabilities of each datum's targets in nats, [N] or [N × width]. */
  logprobs: Float32Array[];
  /** Summed over the tokens of all datums. */
  loss: number;
  /** Metrics whose names have the form `name:reduction`, which says how clients combine the metrics of several requests. */
  metrics: Record<string, number>;
}

export interface AdamParams {
  learningRate: number;
  beta1: number;
  beta2: number;
  eps: number;
  weightDecay: number;
  /** The largest norm of all gradients together, to which larger gradients are scaled down; 0 for no limit. */
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

/** A LoRA adapter. The caller runs its calls one after another; those for several adapters may overlap. */
export interface TrainableModel {
  forwardBackward(data: readonly Datum[], loss: LossRequest, options: { forwardOnly: boolean }): Promise<LossReport>;
  optimStep(params: AdamParams): Promise<Record<string, number>>;
  /** Saves the adapter as a PEFT folder, the optimizer's state, and unused gradients: all files or none. */
  save(folder: string): Promise<void>;
  /** Saves only the adapter, as a PEFT folder, which the model server can load for sampling. */
  saveForSampler(folder: string): Promise<void>;
  load(folder: string, options: { optimizer: boolean }): Promise<void>;
  /** The bytes of memory that the adapter, its gradients and the optimizer's state take. */
  readonly bytes: number;
  /** Returns an upper bound for the bytes of the files that `save` or `saveForSampler` would write now. */
  bytesOnDisk(files: 'state' | 'sampler'): number;
  close(): Promise<void>;
}

/** The layers that train_attn, train_mlp and train_unembed select, without an output head that shares the embedding's weights. */
export interface TrainableModules {
  attn: readonly string[];
  mlp: readonly string[];
  unembed: readonly string[];
}

/** The base model, which is in memory once for all adapters. */
export interface TrainingBase {
  /** The base model itself, which samples with adapters by their names. */
  readonly model: LanguageModel;
  /** The layers that can be trained, by the flag that selects them. */
  readonly trainableModules: TrainableModules;
  create(shape: LoraShape): Promise<TrainableModel>;
  close(): Promise<void>;
}
