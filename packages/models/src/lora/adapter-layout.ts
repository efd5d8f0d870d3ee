// Which weights of an architecture carry adapters, and the adapters' own parameters.
//
//     y = W x + (alpha / r) · B A dropout(x),   A [r, in],  B [out, r]
//
// Source: Hu et al. 2021, arXiv:2106.09685, section 4.1; start values and names as in PEFT.
import type { Rng } from '@bowyer/core';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { HostTensors } from '@bowyer/checkpoints';
import { checkLoraOptions, defaultTargetModules, targetedModules, type LoraOptions } from './lora-options.js';

/** The adapter of one linear layer. */
export interface AdapterSpec {
  /** Path of the layer in the model, e.g. `transformer.h.0.attn.c_attn`. */
  module: string;
  /** The base weight's name. */
  weight: string;
  /** Names of A and B among the trainable parameters. */
  a: string;
  b: string;
  inputs: number;
  outputs: number;
}

export interface AdapterLayout {
  options: LoraOptions;
  /** By the base weight's name. */
  adapters: ReadonlyMap<string, AdapterSpec>;
  /** The trainable parameters: A and B of each adapter in turn. */
  parameters: readonly { name: string; shape: number[] }[];
  /** The base weight keeps [in, out] in files (GPT-2's Conv1D): PEFT notes it as fan_in_fan_out. */
  fanInFanOut: boolean;
}

/** @throws if `targetModules` names a layer that the architecture does not have */
export function adapterLayout(architecture: CausalArchitecture, options: LoraOptions): AdapterLayout {
  checkLoraOptions(options);
  const { inside, experts, heads } = linearWeights(architecture);
  const paths = (weights: string[]) => weights.map((weight) => weight.replace(/\.weight$/, ''));
  const modelType = String(architecture.config.model_type);
  const modules = targetedModules(options, modelType, {
    inside: paths(inside),
    heads: paths(heads),
    experts: paths(experts),
  });
  const specs = new Map(architecture.parameters.map((spec) => [spec.name, spec]));
  const adapters = modules.map((module): AdapterSpec => {
    const [outputs, inputs] = specs.get(`${module}.weight`)!.shape;
    const [a, b] = [`${module}.lora_A.weight`, `${module}.lora_B.weight`];
    return { module, weight: `${module}.weight`, a, b, inputs, outputs };
  });
  return {
    options: { ...options, targetModules: options.targetModules ?? defaultTargetModules(modelType) },
    adapters: new Map(adapters.map((adapter) => [adapter.weight, adapter])),
    parameters: adapters.flatMap(({ a, b, inputs, outputs }) => [
      { name: a, shape: [options.r, inputs] },
      { name: b, shape: [outputs, options.r] },
    ]),
    fanInFanOut: adapters.some(({ weight }) => specs.get(weight)!.transposedInFile === true),
  };
}

/** PEFT's start: A as torch.nn.Linear (Kaiming-uniform with a = √5, which is ±1/√in), B zero, so the model is the base's. */
export function initializeAdapters({ adapters, options }: AdapterLayout, rng: Rng): HostTensors {
  const tensors: HostTensors = {};
  for (const { a, b, inputs, outputs } of adapters.values()) {
    const bound = 1 / Math.sqrt(inputs);
    const data = Float32Array.from({ length: options.r * inputs }, () => bound * (2 * rng.uniform() - 1));
    tensors[a] = { shape: [options.r, inputs], data };
    tensors[b] = { shape: [outputs, options.r], data: new Float32Array(outputs * options.r) };
  }
  return tensors;
}
