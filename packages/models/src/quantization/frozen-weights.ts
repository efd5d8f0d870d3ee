// The sorting of a model's parameters into those that are kept in 4 or 8 bits and the float32 rest.
import type { Rng } from '@bowyer/core';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { initializeParameter } from '../architecture/initialize-parameters.js';
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';
import { dequantize, quantize, randomQuantizedWeight, type QuantizedWeight } from './quantized-weight.js';
import { weightLayouts, type Quantization, type WeightLayouts } from './weight-layouts.js';

/**
 * Takes the parameters one by one, so that of a quantised one only the few bits stay in memory. Embeddings, norms and
 * biases stay in float32, and so do weights whose rows divide into no blocks.
 */
export class FrozenWeights {
  /** The parameters in float32. */
  readonly tensors: HostTensors = {};
  readonly #quantized = new Map<string, QuantizedWeight>();
  readonly #heads = new Map<string, QuantizedWeight>();
  readonly #layout: WeightLayouts;

  constructor(
    architecture: CausalArchitecture,
    private readonly quantization: Quantization,
  ) {
    this.#layout = weightLayouts(architecture, quantization);
  }

  /**
   * Returns the quantised weights. `quantized`: the linear layers before the output head, in the bits that were asked for.
   * `quantizedWithHeads`: these, and the head in 8 bits, for decoding, a step of which reads all of it, a third of a small model, and
   * for products of integers. Otherwise scoring and training keep the head in float32: its rounding would go straight into the
   * log-probabilities. Nothing with 'none'.
   */
  get kept(): Partial<Record<'quantized' | 'quantizedWithHeads', ReadonlyMap<string, QuantizedWeight>>> {
    if (this.quantization === 'none') return {};
    return { quantized: this.#quantized, quantizedWithHeads: new Map([...this.#quantized, ...this.#heads]) };
  }

  take(name: string, tensor: HostTensor): void {
    if (!this.takesQuantized(name, tensor)) this.tensors[name] = tensor;
  }

  /**
   * Quantises a parameter, or does not keep it.
   *
   * @returns false where the parameter stays in float32; it is not kept here then
   */
  takesQuantized(name: string, tensor: HostTensor): boolean {
    return this.quantization !== 'none' && this.#quantize(name, tensor);
  }

  /**
   * Makes a parameter of a model without training. One that is quantised is made of random levels, never of float32 numbers: those of a
   * model of seven billion parameters would fill 28 GB.
   */
  addInitialized(spec: ParameterSpec, rng: Rng): void {
    const layout = this.#layout(spec.name, spec.shape);
    if (!layout || layout.isHead || spec.init.kind !== 'normal')
      return this.take(spec.name, initializeParameter(spec, rng));
    const [rows, columns] = spec.shape;
    const weight = randomQuantizedWeight([rows, columns], layout, spec.init.standardDeviation, rng);
    this.#quantized.set(spec.name, weight);
  }

  /**
   * Quantises a parameter if it has a layout of few bits.
   *
   * @returns whether the float32 numbers can go
   */
  #quantize(name: string, { data, shape }: HostTensor): boolean {
    const layout = this.#layout(name, shape);
    if (!layout) return false;
    const weight = quantize(data, [shape[0], shape[1]], layout);
    (layout.isHead ? this.#heads : this.#quantized).set(name, weight);
    return !layout.isHead;
  }
}

/** Adds to the float32 parameters the dequantised ones, as in a checkpoint. */
export function addDequantized(
  tensors: HostTensors,
  quantized: ReadonlyMap<string, QuantizedWeight> | undefined,
): HostTensors {
  for (const [name, weight] of quantized ?? []) tensors[name] = { shape: [...weight.shape], data: dequantize(weight) };
  return tensors;
}
