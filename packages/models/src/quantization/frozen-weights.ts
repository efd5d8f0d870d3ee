// Which weights of a model are kept in 4 or 8 bits, and the sorting of its parameters into those and the float32 rest.
import type { CausalArchitecture } from '../architecture.js';
import { linearWeights } from '../lora/adapter-layout.js';
import type { HostTensor, HostTensors } from '../safetensors.js';
import { dequantize, quantize, type QuantizedWeight } from './quantized-weight.js';

/** How the linear layers' weights of a frozen model lie in memory. */
export type Quantization = 'none' | '4bit' | '8bit';

/**
 * Numbers that share a scale: 32, or 16 where a row does not divide into those. In 4 bits also 16 where a row is short:
 * small models lose most (two of a million parameters and less: 4.1 and 3.1 % of their loss, against 6.0 and 5.0 % with
 * blocks of 32), and the further scales cost little memory there.
 */
const BLOCK_SIZES = [32, 16];
const SHORT_ROW = 512;

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
    const { inside, heads, tied } = linearWeights(architecture);
    this.#linear = { inside: new Set(inside), heads: new Set([...heads, ...tied]) };
  }

  /**
   * `quantized`: the linear layers before the output head, in the bits that were asked for. `quantizedForDecoding`: these,
   * and the head in 8 bits; a step reads all of it, a third of a small model. Scoring and training keep the head in
   * float32: its rounding would go straight into the log-probabilities. Nothing with 'none'.
   */
  get kept(): Partial<Record<'quantized' | 'quantizedForDecoding', ReadonlyMap<string, QuantizedWeight>>> {
    if (this.quantization === 'none') return {};
    return { quantized: this.#quantized, quantizedForDecoding: new Map([...this.#quantized, ...this.#heads]) };
  }

  take(name: string, tensor: HostTensor): void {
    if (this.quantization === 'none' || !this.#quantize(name, tensor)) this.tensors[name] = tensor;
  }

  /** @returns whether the float32 numbers can go */
  #quantize(name: string, { data, shape: [rows, columns] }: HostTensor): boolean {
    const { inside, heads } = this.#linear;
    if (!(inside.has(name) || heads.has(name))) return false;
    const bits = this.quantization === '4bit' && !heads.has(name) ? 4 : 8;
    const sizes = bits === 4 && columns < SHORT_ROW ? BLOCK_SIZES.slice(1) : BLOCK_SIZES;
    const blockSize = sizes.find((size) => columns % size === 0);
    if (blockSize === undefined) return false;
    (heads.has(name) ? this.#heads : this.#quantized).set(name, quantize(data, [rows, columns], { bits, blockSize }));
    return !heads.has(name);
  }
}

/** Adds to the float32 parameters the quantised ones in full, as a checkpoint holds them. */
export function addDequantized(
  tensors: HostTensors,
  quantized: ReadonlyMap<string, QuantizedWeight> | undefined,
): HostTensors {
  for (const [name, weight] of quantized ?? []) tensors[name] = { shape: [...weight.shape], data: dequantize(weight) };
  return tensors;
}
