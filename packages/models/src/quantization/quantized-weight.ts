// Quantises frozen linear weights to 4 or 8 bits, block by block, and dequantises them:
//
//     4 bits   scale = (max − min) / 15,   zero = round(−min / scale),   q = round(w / scale) + zero
//     8 bits   scale = w* / −128,          zero = 128                    with w* the number of largest size, sign kept
//
// where max, min and w* are taken over a block and 0, so that 0 stays 0 and every level is used. With 16 levels a zero point is worth its
// half byte: on two small trained models, 4 bits increase the loss by 4.1 and 3.1 % with it, and by 4.7 and 4.9 % without (blocks of 16). A
// block has consecutive numbers of one row (one output), in the layout of ONNX Runtime's MatMulNBits.
// Source: Dettmers et al. 2022 (arXiv:2110.02861), section 2, with evenly spaced levels.
import { freeMemory, type Rng } from '@bowyer/core';
import { StoredTensor, type FrozenData, type GraphBuilder, type Value } from '@bowyer/graph';

/** A weight in blocks of 4 or 8 bits. */
export interface QuantizedWeight {
  /** [out, in / blockSize, blockSize · bits / 8]; two 4-bit numbers share a byte, the first in the low half. */
  packed: FrozenData;
  /** [out, in / blockSize] */
  scales: Float32Array;
  /** The zero points with 4 bits, [out, ⌈in / blockSize / 2⌉], two per byte; with 8 bits the zero point is always 128. */
  zeroPoints?: Uint8Array;
  bits: 4 | 8;
  blockSize: number;
  /** [out, in] the shape of the dequantised weight. */
  shape: readonly [number, number];
}

/** A quantised weight whose numbers are in memory; the numbers of a `QuantizedWeight` may be in a file. */
export type WeightInMemory = QuantizedWeight & { packed: Uint8Array };

/** Calls `use` with a weight whose numbers are in memory; numbers in a file are read before and freed afterwards. */
export async function withNumbers<T>(
  weight: QuantizedWeight,
  use: (weight: WeightInMemory) => T | Promise<T>,
): Promise<T> {
  const { packed } = weight;
  if (!(packed instanceof StoredTensor)) return use({ ...weight, packed: packed as Uint8Array });
  const read = packed.read();
  try {
    return await use({ ...weight, packed: read });
  } finally {
    freeMemory(read);
  }
}

export interface QuantizeOptions {
  bits: 4 | 8;
  /** The number of elements that share a scale; a power of two from 16 on that divides the length of a row. */
  blockSize: number;
}

type QuantizedProductOptions = {
  /** 4: activations are rounded to 8 bits and multiplied as integers, which is two to three times faster; 0: float32. */
  accuracyLevel: 0 | 4;
};

/** Allocates a quantised weight, which `quantizeRows` fills. */
export function emptyQuantizedWeight(
  shape: readonly [number, number],
  { bits, blockSize }: QuantizeOptions,
): WeightInMemory {
  const [rows, columns] = shape;
  if (!Number.isInteger(Math.log2(blockSize)) || blockSize < 16)
    throw new RangeError(`quantise: block size ${blockSize} must be a power of two of at least 16`);
  if (columns % blockSize !== 0)
    throw new RangeError(`quantise: rows of ${columns} numbers do not divide into blocks of ${blockSize}`);
  return {
    packed: new Uint8Array((rows * columns * bits) / 8),
    scales: new Float32Array((rows * columns) / blockSize),
    ...(bits === 4 && { zeroPoints: new Uint8Array(rows * zeroBytes(columns / blockSize)) }),
    bits,
    blockSize,
    shape,
  };
}

/** Quantises the rows `values` [rows, in] from `firstRow` on, so that a large weight is never in float32 as a whole. */
export function quantizeRows(weight: WeightInMemory, values: Float32Array, firstRow: number): void {
  const { scales, bits, blockSize, shape } = weight;
  const start = firstRow * shape[1];
  if (values.length % shape[1] !== 0 || start + values.length > shape[0] * shape[1])
    throw new RangeError(
      `quantise: ${values.length} numbers from row ${firstRow} do not fit a weight [${shape.join(', ')}]`,
    );
  for (let from = 0; from < values.length; from += blockSize) {
    const block = (start + from) / blockSize;
    const [low, high] = extremes(values, from, from + blockSize, firstRow, shape[1]);
    const isFlat = low === high;
    const scale = isFlat ? 0 : Math.fround(bits === 4 ? (high - low) / 15 : (-low > high ? low : high) / -128);
    const zero = bits === 8 ? 128 : isFlat ? 8 : Math.round(-low / scale);
    scales[block] = scale;
    if (weight.zeroPoints) setZeroPoint(weight, block, zero);
    const inverse = scale === 0 ? 0 : 1 / scale;
    writeLevels(weight, start + from, values, from, { inverse, zero });
  }
}

/** Finds the extremes of 0 and a block's numbers. Loops are plain here, since they decide how long loading a model takes. */
function extremes(values: Float32Array, from: number, end: number, firstRow: number, columns: number) {
  let low = 0;
  let high = 0;
  let sum = 0; // becomes NaN or infinite if a number is
  for (let i = from; i < end; i++) {
    const value = values[i];
    sum += value;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(sum - sum === 0)) {
    const at = values.subarray(from, end).findIndex((value) => !Number.isFinite(value)) + from;
    throw new RangeError(
      `quantise: row ${firstRow + Math.floor(at / columns)}, column ${at % columns} is ${values[at]}; weights must be finite`,
    );
  }
  return [low, high] as const;
}

/** Writes a block's clamped levels ⌊x · inverse⌉ + zero, one or two per byte, from level `start` of the whole weight on. */
function writeLevels(
  { packed, bits, blockSize }: WeightInMemory,
  start: number,
  values: Float32Array,
  from: number,
  { inverse, zero }: { inverse: number; zero: number },
): void {
  const half = zero + 0.5;
  if (bits === 8)
    for (let i = 0; i < blockSize; i++) {
      const level = (values[from + i] * inverse + half) | 0;
      packed[start + i] = Math.min(255, Math.max(0, level));
    }
  else
    for (let i = 0; i < blockSize; i += 2) {
      const first = (values[from + i] * inverse + half) | 0;
      const second = (values[from + i + 1] * inverse + half) | 0;
      packed[(start + i) >> 1] = Math.min(15, Math.max(0, first)) | (Math.min(15, Math.max(0, second)) << 4);
    }
}

const zeroBytes = (blocks: number) => Math.ceil(blocks / 2);

/** Writes a block's zero point. @param block the index of the block, counted over all rows */
function setZeroPoint({ zeroPoints, shape, blockSize }: QuantizedWeight, block: number, zero: number): void {
  const blocks = shape[1] / blockSize;
  const column = block % blocks;
  const at = Math.floor(block / blocks) * zeroBytes(blocks) + (column >> 1);
  zeroPoints![at] = column % 2 === 0 ? zero : zeroPoints![at] | (zero << 4);
}

/** Quantises a weight [out, in] that is in memory as a whole. */
export function quantize(
  values: Float32Array,
  shape: readonly [number, number],
  options: QuantizeOptions,
): WeightInMemory {
  const weight = emptyQuantizedWeight(shape, options);
  if (values.length !== shape[0] * shape[1])
    throw new RangeError(
      `quantise: ${values.length} numbers given, which does not match a weight [${shape.join(', ')}]`,
    );
  quantizeRows(weight, values, 0);
  return weight;
}

/** Returns a block's zero point. @param block the index of the block, counted over all rows */
function zeroPoint({ zeroPoints, shape, blockSize }: QuantizedWeight, block: number): number {
  if (!zeroPoints) return 128;
  const blocks = shape[1] / blockSize;
  const column = block % blocks;
  return (zeroPoints[Math.floor(block / blocks) * zeroBytes(blocks) + (column >> 1)] >> (4 * (column % 2))) & 15;
}

/** Makes an untrained weight of random, uniformly distributed levels with the given standard deviation. */
export function randomQuantizedWeight(
  shape: readonly [number, number],
  options: QuantizeOptions,
  standardDeviation: number,
  rng: Rng,
): WeightInMemory {
  const weight = emptyQuantizedWeight(shape, options);
  const words = new Uint32Array(weight.packed.buffer, 0, weight.packed.length >> 2); // blocks of 16 or more fill whole words
  for (let i = 0; i < words.length; i++) words[i] = rng.uint32();
  // n levels at distance 1 have the standard deviation √((n² − 1) / 12).
  weight.scales.fill(standardDeviation / Math.sqrt((4 ** options.bits - 1) / 12));
  weight.zeroPoints?.fill(0x88);
  return weight;
}

/** Returns the dequantised weight [out, in], for export or for merging adapters. */
export function dequantize(weight: WeightInMemory): Float32Array {
  const values = new Float32Array(weight.shape[0] * weight.shape[1]);
  dequantizeRows(weight, 0, values);
  return values;
}

/** Dequantises rows from `firstRow` on into `values`. */
export function dequantizeRows(weight: WeightInMemory, firstRow: number, values: Float32Array): void {
  const { packed, scales, bits, blockSize, shape } = weight;
  const start = firstRow * shape[1];
  for (let from = 0; from < values.length; from += blockSize) {
    const block = (start + from) / blockSize;
    const zero = zeroPoint(weight, block);
    const scale = scales[block];
    const end = from + blockSize;
    if (bits === 8) for (let i = from; i < end; i++) values[i] = (packed[start + i] - zero) * scale;
    else
      for (let i = from; i < end; i += 2) {
        const pair = packed[(start + i) >> 1];
        values[i] = ((pair & 15) - zero) * scale;
        values[i + 1] = ((pair >> 4) - zero) * scale;
      }
  }
}

/** Dequantises columns from `firstColumn` on into rows of `values` [columns, length]; elements beyond the weight's rows stay. */
export function dequantizeColumns(
  weight: WeightInMemory,
  firstColumn: number,
  length: number,
  values: Float32Array,
): void {
  const { packed, scales, bits, blockSize, shape } = weight;
  const [rows, columns] = shape;
  const end = firstColumn + values.length / length;
  for (let row = 0; row < rows; row++)
    for (let column = firstColumn; column < end;) {
      const block = Math.floor((row * columns + column) / blockSize);
      const zero = zeroPoint(weight, block);
      const scale = scales[block];
      const blockEnd = Math.min(end, column - (column % blockSize) + blockSize);
      for (; column < blockEnd; column++) {
        const at = row * columns + column;
        const level = bits === 8 ? packed[at] : (packed[at >> 1] >> (4 * (at % 2))) & 15;
        values[(column - firstColumn) * length + row] = (level - zero) * scale;
      }
    }
}

/** Computes x [rows, in] · Wᵀ + bias. The weight is in the graph as initializers named after it; x and bias have gradients. */
export function quantizedProduct(
  g: GraphBuilder,
  x: Value,
  name: string,
  weight: QuantizedWeight,
  bias: Value | undefined,
  { accuracyLevel }: QuantizedProductOptions,
): Value {
  const { packed, scales, zeroPoints, bits, blockSize, shape } = weight;
  const blocks = shape[1] / blockSize;
  // Initializers are reused if the graph has them already, since a weight may be multiplied several times (a tied head).
  const made = (key: string) => g.initializers.find((value) => value.name === `${name}/${key}`);
  const initializer = (key: string, data: FrozenData, dims: number[], type: 'uint8' | 'float32' = 'uint8') =>
    made(key) ?? g.initializer(`${name}/${key}`, data, dims, type);
  const numbers = initializer('packed', packed, [shape[0], blocks, (blockSize * bits) / 8]);
  const scale = initializer('scales', scales, [shape[0], blocks], 'float32');
  const zeros = zeroPoints && initializer('zero_points', zeroPoints, [shape[0], zeroBytes(blocks)]);
  const product = g.quantizedMatMul(x, numbers, scale, { bits, blockSize, accuracyLevel, zeroPoints: zeros });
  return bias ? g.add(product, bias) : product;
}
