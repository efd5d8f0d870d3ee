// Decides which weights of an architecture have adapters, and lists the adapters' parameters. An adapted layer computes
//
//     y = W x + (alpha / r) · B A dropout(x),   A [r, in],  B [out, r]
//
// and with magnitudes (DoRA) y = m / ‖W + (alpha / r) · B A‖ ⊙ (the same), m [out], the norm of each row.
//
// Sources: Hu et al. 2021, arXiv:2106.09685, section 4.1; Liu et al. 2024, arXiv:2402.09353, eq. 5; initial values and names as in
// PEFT.
import type { Rng } from '@bowyer/core';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { HostTensors } from '@bowyer/checkpoints';
import {
  checkLoraOptions,
  defaultTargetModules,
  moduleRank,
  targetedModules,
  type LoraOptions,
} from './lora-options.js';

/** The adapter of one linear layer. */
export interface AdapterSpec {
  /** The layer's path in the model, e.g. `transformer.h.0.attn.c_attn`. */
  module: string;
  /** The base weight's name. */
  weight: string;
  /** The names of A and B among the trainable parameters. */
  a: string;
  b: string;
  /** The name of the magnitudes [outputs], if there are any. */
  magnitude?: string;
  r: number;
  /** The factor of B A: alpha / r, or alpha / √r with rsLoRA. */
  scale: number;
  inputs: number;
  outputs: number;
}

export interface AdapterLayout {
  options: LoraOptions;
  /** The adapters of the linear layers, by the name of the base weight. */
  adapters: ReadonlyMap<string, AdapterSpec>;
  /** The trainable parameters: A, B and the magnitudes of each adapter in turn. */
  parameters: readonly { name: string; shape: number[] }[];
  /** Whether base weights are [in, out] in checkpoints (GPT-2's Conv1D), which is `fan_in_fan_out` in PEFT. */
  fanInFanOut: boolean;
}

/** Throws if `targetModules` names a layer that the architecture does not have. */
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
    const magnitude = options.usesMagnitudes ? `${module}.lora_magnitude_vector` : undefined;
    return { module, weight: `${module}.weight`, a, b, magnitude, ...moduleRank(options, module), inputs, outputs };
  });
  return {
    options: { ...options, targetModules: options.targetModules ?? defaultTargetModules(modelType) },
    adapters: new Map(adapters.map((adapter) => [adapter.weight, adapter])),
    parameters: adapters.flatMap(({ a, b, magnitude, r, inputs, outputs }) => [
      { name: a, shape: [r, inputs] },
      { name: b, shape: [outputs, r] },
      ...(magnitude === undefined ? [] : [{ name: magnitude, shape: [outputs] }]),
    ]),
    fanInFanOut: adapters.some(({ weight }) => specs.get(weight)!.transposedInFile === true),
  };
}

/** Draws PEFT's initial values: A uniform in ±1/√in, as in torch.nn.Linear, and B zero, so that the model starts as its base. */
export function initializeAdapters({ adapters, options }: AdapterLayout, rng: Rng): HostTensors {
  if (options.usesMagnitudes)
    throw new Error('LoRA: magnitudes (DoRA) start from the norms of the base; they are read from an adapter alone');
  const tensors: HostTensors = {};
  for (const { a, b, r, inputs, outputs } of adapters.values()) {
    const bound = 1 / Math.sqrt(inputs);
    const data = Float32Array.from({ length: r * inputs }, () => bound * (2 * rng.uniform() - 1));
    tensors[a] = { shape: [r, inputs], data };
    tensors[b] = { shape: [outputs, r], data: new Float32Array(outputs * r) };
  }
  return tensors;
}
