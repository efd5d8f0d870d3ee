// Which weights of a model are kept in 4 or 8 bits, and the sorting of its parameters into those and the float32 rest.
import type { Rng } from '@bowyer/core';
import type { CausalArchitecture } from '../architecture/architecture.js';
import type { ParameterSpec } from '../architecture/parameter-spec.js';
import { initializeParameter } from '../architecture/initialize-parameters.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { HostTensor, HostTensors } from '@bowyer/checkpoints';
import {
  dequantize,
  quantize,
  randomQuantizedWeight,
  type QuantizedWeight,
  type QuantizeOptions,
} from './quantized-weight.js';

/** How the linear layers' weights of a frozen model are stored. */
export type Quantization = 'none' | '4bit' | '8bit';

/**
 * Numbers that share a scale in 4 bits: 32, or 16 where a row does not divide into those. Also 16 where a row is short:
 * small models lose most (two of a million parameters and less: 4.1 and 3.1 % of their loss, against 6.0 and 5.0 % with
 * blocks of 32), and the further scales cost little memory there.
 */
const BLOCK_SIZES = [32, 16];
const SHORT_ROW = 512;
/** In 8 bits rounding is small whatever the block; products of 16 rows are 1.5 to 1.8 times as fast as with blocks of 32. */
const BLOCK_SIZES_OF_8_BITS = [128, 64, 32, 16];

/**
 * Takes the parameters one by one, so that of a quantised one only the few bits stay in memory. Embeddings, norms and
 * biases stay in float32, and so do weights whose rows divide into no blocks.
 */
export class FrozenWeights {
  /** The parameters in float32. */
  readonly tensors: HostTensors = {};
  readonly #quantized = new Map<string, QuantizedWeight>();
  readonly #heads = new Map<string, QuantizedWeight>();
  readonly #linear: Record<'inside' | 'heads', ReadonlySet<string>>;

  constructor(
    architecture: CausalArchitecture,
    private readonly quantization: Quantization,
  ) {
    const { inside, experts, heads, tied } = linearWeights(architecture);
    this.#linear = { inside: new Set([...inside, ...experts]), heads: new Set([...heads, ...tied]) };
  }

  /**
   * `quantized`: the linear layers before the output head, in the bits that were asked for. `quantizedWithHeads`: these,
   * and the head in 8 bits, for decoding, a step of which reads all of it, a third of a small model, and for products of
   * integers. Otherwise scoring and training keep the head in float32: its rounding would go straight into the
   * log-probabilities. Nothing with 'none'.
   */
  get kept(): Partial<Record<'quantized' | 'quantizedWithHeads', ReadonlyMap<string, QuantizedWeight>>> {
    if (this.quantization === 'none') return {};
    return { quantized: this.#quantized, quantizedWithHeads: new Map([...this.#quantized, ...this.#heads]) };
  }

  take(name: string, tensor: HostTensor): void {
    if (!this.takesQuantized(name, tensor)) this.tensors[name] = tensor;
  }

  /** @returns false where the parameter stays in float32; it is not kept here then */
  takesQuantized(name: string, tensor: HostTensor): boolean {
    return this.quantization !== 'none' && this.#quantize(name, tensor);
  }

  /**
   * A parameter of a model without training. One that is quantised is made of random levels, never of float32 numbers:
   * those of a model of seven billion parameters would fill 28 GB.
   */
  addInitialized(spec: ParameterSpec, rng: Rng): void {
    const layout = this.quantization === 'none' ? undefined : this.#layout(spec.name, spec.shape);
    if (!layout || layout.isHead || spec.init.kind !== 'normal')
      return this.take(spec.name, initializeParameter(spec, rng));
    const [rows, columns] = spec.shape;
    const weight = randomQuantizedWeight([rows, columns], layout, spec.init.standardDeviation, rng);
    this.#quantized.set(spec.name, weight);
  }

  /** @returns whether the float32 numbers can go */
  #quantize(name: string, { data, shape }: HostTensor): boolean {
    const layout = this.#layout(name, shape);
    if (!layout) return false;
    const weight = quantize(data, [shape[0], shape[1]], layout);
    (layout.isHead ? this.#heads : this.#quantized).set(name, weight);
    return !layout.isHead;
  }

  /** How a weight is quantised; undefined where it stays in float32. */
  #layout(name: string, [, columns]: readonly number[]): (QuantizeOptions & { isHead: boolean }) | undefined {
    const { inside, heads } = this.#linear;
    const isHead = heads.has(name);
    if (!inside.has(name) && !isHead) return undefined;
    const bits = this.quantization === '4bit' && !isHead ? 4 : 8;
    const sizesOf4Bits = columns < SHORT_ROW ? BLOCK_SIZES.slice(1) : BLOCK_SIZES;
    const sizes = bits === 8 ? BLOCK_SIZES_OF_8_BITS : sizesOf4Bits;
    const blockSize = sizes.find((size) => columns % size === 0);
    return blockSize === undefined ? undefined : { bits, blockSize, isHead };
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
