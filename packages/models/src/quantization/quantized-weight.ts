// Block-wise symmetric quantisation of frozen linear weights to 4 or 8 bits, and back.
//
//     scale = w* / −2^(bits − 1),   q = round(w / scale) + 2^(bits − 1)
//
// with w* the number of largest size in the block, sign kept: it becomes the lowest level, so that none of the levels is
// lost (as max|w| / (2^(bits − 1) − 1) would lose one of 16). On two small trained models that takes a fifth to a third
// off what 4 bits add to the loss. Each block is a run of numbers along one row (one output), in the layout of ONNX
// Runtime's MatMulNBits. Source: block-wise quantisation of Dettmers et al. 2022 (arXiv:2110.02861), section 2, with
// evenly spaced levels; the signed scale is that of GGML's Q4_0.
import type { GraphBuilder, Value } from '@bowyer/graph';

export interface QuantizedWeight {
  /** [out, in / blockSize, blockSize · bits / 8]; of two 4-bit numbers in a byte the first is the low half. */
  packed: Uint8Array;
  /** [out, in / blockSize] */
  scales: Float32Array;
  bits: 4 | 8;
  blockSize: number;
  /** [out, in] of the weight that it stands for. */
  shape: readonly [number, number];
}

export interface QuantizeOptions {
  bits: 4 | 8;
  /** Numbers that share a scale; a power of two from 16 up that divides the weight's row. */
  blockSize: number;
}

export type QuantizedProductOptions = {
  /** 4: activations are rounded to 8 bits and multiplied as whole numbers, two to three times faster; 0: float32. */
  accuracyLevel: 0 | 4;
};

/** An empty weight to be filled by `quantizeRows`. */
export function emptyQuantizedWeight(
  shape: readonly [number, number],
  { bits, blockSize }: QuantizeOptions,
): QuantizedWeight {
  const [rows, columns] = shape;
  if (!Number.isInteger(Math.log2(blockSize)) || blockSize < 16)
    throw new RangeError(`quantise: block size ${blockSize} must be a power of two from 16 up`);
  if (columns % blockSize !== 0)
    throw new RangeError(`quantise: rows of ${columns} numbers do not divide into blocks of ${blockSize}`);
  return {
    packed: new Uint8Array((rows * columns * bits) / 8),
    scales: new Float32Array((rows * columns) / blockSize),
    bits,
    blockSize,
    shape,
  };
}

/**
 * Fills rows from `firstRow` on, so that a large weight can come in slices and is never whole in float32.
 *
 * @param values [rows of this slice, in]
 */
export function quantizeRows(weight: QuantizedWeight, values: Float32Array, firstRow: number): void {
  const { packed, scales, bits, blockSize, shape } = weight;
  const start = firstRow * shape[1];
  if (values.length % shape[1] !== 0 || start + values.length > shape[0] * shape[1])
    throw new RangeError(
      `quantise: ${values.length} numbers from row ${firstRow} do not fit a weight [${shape.join(', ')}]`,
    );
  const zero = 2 ** (bits - 1);
  for (let from = 0; from < values.length; from += blockSize) {
    let [largest, extreme] = [0, 0];
    for (let i = from; i < from + blockSize; i++) {
      const size = Math.abs(values[i]);
      if (!(size < Infinity))
        throw new RangeError(
          `quantise: row ${firstRow + Math.floor(i / shape[1])}, column ${i % shape[1]} is ${values[i]}; weights must be finite`,
        );
      if (size > largest) {
        largest = size;
        extreme = values[i];
      }
    }
    const scale = largest === 0 ? 0 : Math.fround(extreme / -zero);
    scales[(start + from) / blockSize] = scale;
    for (let i = from; i < from + blockSize; i++) {
      const level = scale === 0 ? 0 : Math.max(-zero, Math.min(zero - 1, Math.round(values[i] / scale)));
      const at = start + i;
      if (bits === 8) packed[at] = level + zero;
      else if (at % 2 === 0) packed[at >> 1] = level + zero;
      else packed[at >> 1] |= (level + zero) << 4;
    }
  }
}

/** A weight [out, in] that is whole in memory. */
export function quantize(
  values: Float32Array,
  shape: readonly [number, number],
  options: QuantizeOptions,
): QuantizedWeight {
  const weight = emptyQuantizedWeight(shape, options);
  if (values.length !== shape[0] * shape[1])
    throw new RangeError(`quantise: ${values.length} numbers given, a weight [${shape.join(', ')}] has another count`);
  quantizeRows(weight, values, 0);
  return weight;
}

/** The numbers that the quantised weight stands for, [out, in]: for export, or for merging adapters into it. */
export function dequantize({ packed, scales, bits, blockSize, shape }: QuantizedWeight): Float32Array {
  const values = new Float32Array(shape[0] * shape[1]);
  const zero = 2 ** (bits - 1);
  for (let i = 0; i < values.length; i++) {
    const q = bits === 8 ? packed[i] : (packed[i >> 1] >> (4 * (i % 2))) & 15;
    values[i] = (q - zero) * scales[Math.floor(i / blockSize)];
  }
  return values;
}

/** x [rows, in] · Wᵀ + bias with the weight in the graph as initializers named after it; gradients flow to x and bias. */
export function quantizedProduct(
  g: GraphBuilder,
  x: Value,
  name: string,
  weight: QuantizedWeight,
  bias: Value | undefined,
  { accuracyLevel }: QuantizedProductOptions,
): Value {
  const { packed, scales, bits, blockSize, shape } = weight;
  const blocks = shape[1] / blockSize;
  // One name may be multiplied more than once (a tied head): its initializers are made once.
  const made = (key: string) => g.initializers.find((value) => value.name === `${name}/${key}`);
  const numbers =
    made('packed') ?? g.initializer(`${name}/packed`, packed, [shape[0], blocks, (blockSize * bits) / 8], 'uint8');
  const scale = made('scales') ?? g.initializer(`${name}/scales`, scales, [shape[0], blocks]);
  const product = g.quantizedMatMul(x, numbers, scale, { bits, blockSize, accuracyLevel });
  return bias ? g.add(product, bias) : product;
}
