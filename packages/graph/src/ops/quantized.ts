// Defines products with frozen quantized weights, which are integers with one scale per column, or block-wise. In block-wise weights,
// each `block_size` consecutive numbers of a row share one scale and one zero point, 2^(bits − 1) if none is given:
//
//     w = scale · (q − zero)
//
// Source: ONNX Runtime's contrib operator MatMulNBits, https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
import type { OperatorMethods, Value } from '../ir.js';
import { defineOp } from '../op.js';

/**
 * Computes x [..., K] · Wᵀ with W [N, K] packed as uint8 [N, K / block, block · bits / 8], scales [N, K / block], and optional zero
 * points: unsigned numbers of `bits` bits, uint8 [N, ⌈K / block · bits / 8⌉], where each row begins a new byte.
 *
 *     y = x Wᵀ,  dx = dy W
 *
 * The backward pass dequantizes W again, so that no matrix of full size is kept between steps. W is frozen: there is no gradient by
 * its numbers or scales.
 */
export const MatMulNBits = defineOp('MatMulNBits', {
  float16: { computes: 'float32', result: 'float16' },
  domain: 'com.microsoft',
  infer: ({ inputs: [x, packed, scales, zeros], attributes, fail }) => {
    const { K, N, bits, block_size: block } = attributes as Record<string, number>;
    if (x!.dtype !== 'float32') fail('the left operand must be float32');
    if (x!.dim(-1) !== K) fail(`rows have ${x!.dim(-1)} numbers, but the weight's rows have ${K}`);
    const blocks = K! / block!;
    if (packed!.dtype !== 'uint8' || packed!.shape.join() !== [N, blocks, (block! * bits!) / 8].join())
      fail(`packed numbers must be uint8 [${N}, ${blocks}, ${(block! * bits!) / 8}]`);
    if (scales!.shape.join() !== [N, blocks].join()) fail(`scales must be [${N}, ${blocks}]`);
    const zeroBytes = Math.ceil((blocks * bits!) / 8);
    if (zeros && (zeros.dtype !== 'uint8' || zeros.shape.join() !== [N, zeroBytes].join()))
      fail(`zero points must be uint8 [${N}, ${zeroBytes}]`);
    return [{ dtype: 'float32', shape: [...x!.shape.slice(0, -1), N!] }];
  },
  gradient: (g, { inputs: [, packed, scales, zeros], dy, attributes }) => [
    g.matMul(dy, dequantized(g, [packed!, scales!, zeros], attributes as Record<string, number>)),
    null,
    null,
    ...(zeros ? [null] : []),
  ],
});

/** Computes (q − zero point) · scale, with one scale for each block along `axis`. */
export const DequantizeLinear = defineOp('DequantizeLinear', {
  float16: 'float32',
  infer: ({ inputs: [numbers, scales] }) => [{ dtype: scales!.dtype, shape: numbers!.shape }],
});

/** Computes saturate(round(x / scale) + zero point) in the latter's type, halves to even; one scale, or one per `axis` index. */
export const QuantizeLinear = defineOp('QuantizeLinear', {
  infer: ({ inputs: [x, , zero] }) => [{ dtype: zero!.dtype, shape: x!.shape }],
});

/**
 * Computes (A − zero point of A) · (B − zero point of B) in integers, times A's scale and the scale of each of B's columns, in
 * float32. A [..., K] is uint8; B [K, N] is int8 or uint8, and ONNX Runtime packs it for its kernel if it is an initializer.
 * Source: ONNX Runtime's contrib operator MatMulIntegerToFloat,
 * https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
 */
export const MatMulIntegerToFloat = defineOp('MatMulIntegerToFloat', {
  domain: 'com.microsoft',
  infer: ({ inputs: [a, b, , scales], fail }) => {
    if (a!.dtype !== 'uint8' || (b!.dtype !== 'int8' && b!.dtype !== 'uint8'))
      fail('the rows must be uint8, the columns int8 or uint8');
    if (a!.dim(-1) !== b!.dim(0)) fail(`rows have ${a!.dim(-1)} numbers, but columns have ${b!.dim(0)}`);
    if (scales!.shape.join() !== String(b!.dim(1))) fail(`scales must be [${b!.dim(1)}]`);
    return [{ dtype: 'float32', shape: [...a!.shape.slice(0, -1), b!.dim(1)] }];
  },
});

/** Dequantizes a weight's bytes to a matrix [N, K]. Two 4-bit numbers share a byte, the first in the low half. */
function dequantized(
  g: OperatorMethods,
  [packed, scales, zeros]: readonly [Value, Value, Value | undefined],
  { K, N, bits, block_size: block }: Record<string, number>,
): Value {
  const data = packed.data ?? packed.stored;
  if (!data || !scales.data || (zeros && !zeros.data))
    throw new Error(
      `'${packed.name}': the gradient through a quantized weight needs it as initializers, not as inputs`,
    );
  const type = bits === 4 ? 'uint4' : 'uint8';
  const made = (name: string) => g.initializers.find((value) => value.name === name); // exists if the weight is used twice
  const numbers = made(`${packed.name}/matrix`) ?? g.initializer(`${packed.name}/matrix`, data, [N!, K!], type);
  const name = `${packed.name}/zeros`;
  const zeroPoints =
    made(name) ??
    g.initializer(
      name,
      zeroPointMatrix(zeros?.data as Uint8Array, N!, K! / block!, bits!),
      scales.shape as number[],
      type,
    );
  return g.dequantizeLinear(numbers, scales, zeroPoints, { axis: 1, blockSize: block! });
}

/** Unpacks zero points, 2^(bits − 1) if none are given, without the padding of rows with an odd number of 4-bit ones. */
function zeroPointMatrix(given: Uint8Array | undefined, rows: number, blocks: number, bits: number): Uint8Array {
  const middle = bits === 4 ? 0x88 : 0x80;
  if (!given) return new Uint8Array(Math.ceil((rows * blocks * bits) / 8)).fill(middle);
  if (bits === 8 || blocks % 2 === 0) return given;
  const matrix = new Uint8Array(Math.ceil((rows * blocks) / 2));
  const rowBytes = (blocks + 1) / 2;
  for (let i = 0; i < rows * blocks; i++) {
    const [row, block] = [Math.floor(i / blocks), i % blocks];
    matrix[i >> 1] |= ((given[row * rowBytes + (block >> 1)] >> (4 * (block % 2))) & 15) << (4 * (i % 2));
  }
  return matrix;
}
