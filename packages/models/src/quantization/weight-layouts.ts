// Decides the bits and the block size of each quantised weight, for models that Bowyer runs and for files that it exports.
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { QuantizeOptions } from './quantized-weight.js';

/** The number of bits in which the weights of a frozen model's linear layers are stored; 'none': float32. */
export type Quantization = 'none' | '4bit' | '8bit';

/**
 * The block sizes with 4 bits: 32, or 16 if 32 does not divide a row. Short rows have 16 too: small models lose most by quantisation (two
 * models of up to a million parameters: 4.1 and 3.1 % of their loss, against 6.0 and 5.0 % with blocks of 32), and more scales cost
 * little memory there.
 */
const BLOCK_SIZES = [32, 16];
const SHORT_ROW = 512;
/**
 * The block sizes with 8 bits. The rounding error is small for any of them; products of 16 rows are 1.5 to 1.8 times as fast with blocks
 * of 128 as with blocks of 32.
 */
const BLOCK_SIZES_OF_8_BITS = [128, 64, 32, 16];

/** Returns the bits and the block size of a weight; undefined if it stays in float32. */
export type WeightLayouts = (
  name: string,
  shape: readonly number[],
) => (QuantizeOptions & { isHead: boolean }) | undefined;

/** Returns the layouts for a quantization: linear layers in the requested bits, the output head in 8 bits. */
export function weightLayouts(architecture: CausalArchitecture, quantization: Quantization): WeightLayouts {
  if (quantization === 'none') return () => undefined;
  const { inside, experts, heads, tied } = linearWeights(architecture);
  const insideNames = new Set([...inside, ...experts]);
  const headNames = new Set([...heads, ...tied]);
  return (name, [, columns]) => {
    const isHead = headNames.has(name);
    if (!insideNames.has(name) && !isHead) return undefined;
    const bits = quantization === '4bit' && !isHead ? 4 : 8;
    const sizesOf4Bits = columns < SHORT_ROW ? BLOCK_SIZES.slice(1) : BLOCK_SIZES;
    const sizes = bits === 8 ? BLOCK_SIZES_OF_8_BITS : sizesOf4Bits;
    const blockSize = sizes.find((size) => columns % size === 0);
    return blockSize === undefined ? undefined : { bits, blockSize, isHead };
  };
}
