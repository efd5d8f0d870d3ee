// Which weights are kept in how many bits, and in blocks of which size: one choice for the models here and for the files of others.
import type { CausalArchitecture } from '../architecture/architecture.js';
import { linearWeights } from '../architecture/linear-weights.js';
import type { QuantizeOptions } from './quantized-weight.js';

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

/** How a weight is quantised; undefined where it stays as it is. */
export type WeightLayouts = (
  name: string,
  shape: readonly number[],
) => (QuantizeOptions & { isHead: boolean }) | undefined;

/** Returns the linear layers in the bits that were asked for, the output head in 8. */
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
