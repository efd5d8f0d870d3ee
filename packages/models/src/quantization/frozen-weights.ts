// Separates the parameters of a model whose weights are not trained into those kept in 4 or 8 bits, and those in float32.
import type { Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { initializeParameter } from '../architecture/initialize-parameters.js';
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';
import {
  dequantize,
  quantize,
  withNumbers,
  randomQuantizedWeight,
  type QuantizedWeight,
  type WeightInMemory,
} from './quantized-weight.js';
import { weightLayouts, type Quantization, type WeightLayouts } from './weight-layouts.js';

/**
 * Collects a model's parameters one by one while they are loaded, and quantises those of linear layers at once, so that the model
 * is never in memory in float32 as a whole. Embeddings, norms and biases stay in float32, and so do weights whose rows cannot be
 * divided into blocks.
 */
export class FrozenWeights {
  /** The parameters that stay in float32. */
  readonly tensors: HostTensors = {};
  readonly #quantized = new Map<string, QuantizedWeight>();
  readonly #heads = new Map<string, QuantizedWeight>();
  readonly #layout: WeightLayouts;
  readonly #store: ReturnType<Device['frozenStore']>;

  constructor(
    device: Device,
    architecture: CausalArchitecture,
    private readonly quantization: Quantization,
  ) {
    this.#layout = weightLayouts(architecture, quantization);
    const bytesOf = ({ name, shape }: ParameterSpec) => {
      const bits = this.#layout(name, shape)?.bits ?? 0;
      return bits && (shape[0] * shape[1] * bits) / 8;
    };
    this.#store = device.frozenStore(architecture.parameters.reduce((sum, spec) => sum + bytesOf(spec), 0));
  }

  /**
   * Returns the quantised weights; an empty object with 'none'. `quantized` has the linear layers before the output head, in the
   * requested bits. `quantizedWithHeads` has in addition the head in 8 bits, for decoding, where each step reads the whole head
   * (a third of a small model), and for integer products. Scoring and training otherwise use the head in float32, since its
   * rounding would change the log-probabilities directly.
   */
  get kept(): Partial<Record<'quantized' | 'quantizedWithHeads', ReadonlyMap<string, QuantizedWeight>>> {
    if (this.quantization === 'none') return {};
    return { quantized: this.#quantized, quantizedWithHeads: new Map([...this.#quantized, ...this.#heads]) };
  }

  take(name: string, tensor: HostTensor): void {
    if (!this.takesQuantized(name, tensor)) this.tensors[name] = tensor;
  }

  /** Quantises a parameter and keeps the result. @returns false if it is needed in float32 (too), which is not kept here */
  takesQuantized(name: string, tensor: HostTensor): boolean {
    return this.quantization !== 'none' && this.#quantize(name, tensor);
  }

  /** Initializes a parameter of an untrained model: random levels if quantised, since 7 billion float32 parameters need 28 GB. */
  addInitialized(spec: ParameterSpec, rng: Rng): void {
    const layout = this.#layout(spec.name, spec.shape);
    if (!layout || layout.isHead || spec.init.kind !== 'normal')
      return this.take(spec.name, initializeParameter(spec, rng));
    const [rows, columns] = spec.shape;
    const weight = randomQuantizedWeight([rows, columns], layout, spec.init.standardDeviation, rng);
    this.#quantized.set(spec.name, this.#stored(weight));
  }

  /** Quantises a parameter that has a quantised form. @returns false if float32 is still needed, as for the output head */
  #quantize(name: string, { data, shape }: HostTensor): boolean {
    const layout = this.#layout(name, shape);
    if (!layout) return false;
    const weight = quantize(data, [shape[0], shape[1]], layout);
    (layout.isHead ? this.#heads : this.#quantized).set(name, this.#stored(weight));
    return !layout.isHead;
  }

  #stored(weight: WeightInMemory): QuantizedWeight {
    return { ...weight, packed: this.#store?.(weight.packed) ?? weight.packed };
  }
}

/** Adds the dequantised parameters to `tensors`, the parameters in float32, for instance to write a checkpoint. */
export async function addDequantized(
  tensors: HostTensors,
  quantized: ReadonlyMap<string, QuantizedWeight> | undefined,
): Promise<HostTensors> {
  for (const [name, weight] of quantized ?? [])
    tensors[name] = { shape: [...weight.shape], data: await withNumbers(weight, dequantize) };
  return tensors;
}
