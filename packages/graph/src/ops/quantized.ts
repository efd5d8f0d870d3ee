// Products with frozen block-wise quantised weights. Each run of `block_size` numbers along a weight's row shares one
// scale; numbers are unsigned with the middle as zero: w = scale · (q − 2^(bits − 1)).
// Source: ONNX Runtime's contrib operator MatMulNBits, https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md
import type { GraphBuilder } from '../builder.js';
import { defineOp } from '../op.js';
import type { Value } from '../value.js';

/**
 * x [..., K] · Wᵀ with W [N, K] packed as uint8 [N, K / block, block · bits / 8] and scales [N, K / block].
 *
 *     y = x Wᵀ,  dx = dy W
 *
 * W is dequantised anew in the backward pass, so that nothing of full size is kept between steps. It is frozen: there is
 * no gradient by the numbers or the scales.
 */
export const MatMulNBits = defineOp('MatMulNBits', {
  domain: 'com.microsoft',
  infer: ({ inputs: [x, packed, scales], attributes, fail }) => {
    const { K, N, bits, block_size: block } = attributes as Record<string, number>;
    if (x!.dtype !== 'float32') fail('the left operand must be float32');
    if (x!.dim(-1) !== K) fail(`rows of ${x!.dim(-1)} numbers meet a weight of ${K}`);
    const blocks = K! / block!;
    if (packed!.dtype !== 'uint8' || packed!.shape.join() !== [N, blocks, (block! * bits!) / 8].join())
      fail(`packed numbers must be uint8 [${N}, ${blocks}, ${(block! * bits!) / 8}]`);
    if (scales!.shape.join() !== [N, blocks].join()) fail(`scales must be [${N}, ${blocks}]`);
    return [{ dtype: 'float32', shape: [...x!.shape.slice(0, -1), N!] }];
  },
  gradient: (g, { inputs: [, packed, scales], dy, attributes }) => [
    g.matMul(dy, dequantised(g, packed!, scales!, attributes as Record<string, number>)),
    null,
    null,
  ],
});

/** (q − zero point) · scale, one scale for each block along `axis`. */
export const DequantizeLinear = defineOp('DequantizeLinear', {
  infer: ({ inputs: [numbers, scales] }) => [{ dtype: scales!.dtype, shape: numbers!.shape }],
});

/** The same bytes as a matrix [N, K] of 4- or 8-bit numbers; 4-bit ones lie two to a byte, the first in the low half. */
function dequantised(g: GraphBuilder, packed: Value, scales: Value, attributes: Record<string, number>): Value {
  const { K, N, bits, block_size: block } = attributes;
  if (!packed.data || !scales.data)
    throw new Error(`'${packed.name}': the gradient past a quantised weight needs it as initializers, not as inputs`);
  const type = bits === 4 ? 'uint4' : 'uint8';
  const made = (name: string) => g.initializers.find((value) => value.name === name); // a weight used twice
  const numbers = made(`${packed.name}/matrix`) ?? g.initializer(`${packed.name}/matrix`, packed.data, [N!, K!], type);
  const zeros = new Uint8Array(bits === 4 ? Math.ceil(scales.data.length / 2) : scales.data.length);
  zeros.fill(bits === 4 ? 0x88 : 0x80);
  const zeroPoints =
    made(`${packed.name}/zeros`) ?? g.initializer(`${packed.name}/zeros`, zeros, scales.shape as number[], type);
  return g.dequantizeLinear(numbers, scales, zeroPoints, { axis: 1, blockSize: block! });
}
