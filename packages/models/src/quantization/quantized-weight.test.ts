// Tests quantised weights: their dequantised values against float64, and products with them against the dequantised product.
import { Rng } from '@bowyer/core';
import { checkGradients, GraphBuilder, openDevice } from '@bowyer/graph';
import {
  dequantize,
  dequantizeColumns,
  emptyQuantizedWeight,
  quantize,
  quantizedProduct,
  quantizeRows,
} from './quantized-weight.js';

const shape = [48, 96] as const; // three blocks: a row of 4-bit zero points ends in the middle of a byte
const rng = new Rng(5);
const values = Float32Array.from({ length: shape[0] * shape[1] }, () => rng.normal());
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

describe.each([4, 8] as const)('%d bits', (bits) => {
  const weight = quantize(values, shape, { bits, blockSize: 32 });
  const plain = dequantize(weight);

  test('every number is the nearest level of its block, in float64', () => {
    for (let from = 0; from < values.length; from += 32) {
      const block = [...values.subarray(from, from + 32)];
      const [low, high] = [Math.min(0, ...block), Math.max(0, ...block)];
      // In 8 bits the number with the largest magnitude is the lowest level, −128; there is no level +128.
      const scale = bits === 4 ? (high - low) / 15 : (-low > high ? low : high) / -128;
      const zero = bits === 4 ? Math.round(-low / scale) : 128;
      const level = (value: number) => Math.max(0, Math.min(2 ** bits - 1, Math.round(value / scale) + zero));
      block.forEach((value, i) => expect(plain[from + i]).toBeCloseTo((level(value) - zero) * scale, 5));
    }
  });

  test('slices of rows give the same bytes as the whole', () => {
    const sliced = emptyQuantizedWeight(shape, { bits, blockSize: 32 });
    for (let row = 0; row < shape[0]; row += 16)
      quantizeRows(sliced, values.subarray(row * shape[1], (row + 16) * shape[1]), row);
    expect(sliced).toEqual(weight);
  });

  test('columns are the same numbers as rows, also where they begin and end inside a block', () => {
    const length = shape[0] + 16;
    for (const [first, end] of [
      [0, 96],
      [0, 5],
      [27, 70],
      [95, 96],
    ]) {
      const columns = new Float32Array((end - first) * length);
      dequantizeColumns(weight, first, length, columns);
      const expected = Float32Array.from(columns, (_, at) => {
        const [column, row] = [first + Math.floor(at / length), at % length];
        return row < shape[0] ? plain[row * shape[1] + column] : 0;
      });
      expect(columns).toEqual(expected);
    }
  });

  test.each([
    [0, 1e-4],
    [4, 0.03],
  ] as const)(
    'the product at accuracy level %d is that with the dequantised weight',
    async (accuracyLevel, allowed) => {
      const g = new GraphBuilder('product');
      const x = g.input('x', 'float32', ['rows', shape[1]]);
      g.output('y', quantizedProduct(g, x, 'w', weight, undefined, { accuracyLevel }));
      g.output('expected', g.gemm(x, g.initializer('plain', plain, shape), undefined, { transB: true }));
      const data = Float32Array.from({ length: 5 * shape[1] }, () => rng.normal());
      const { y, expected } = await (await device.compile(g)).run({ inputs: { x: { dims: [5, shape[1]], data } } });
      const [got, wanted] = [y.data as Float32Array, expected.data as Float32Array];
      const norm = (array: Float32Array) => Math.hypot(...array);
      expect(norm(wanted)).toBeGreaterThan(1);
      expect(norm(got.map((value, i) => value - wanted[i])) / norm(wanted)).toBeLessThan(allowed);
    },
  );

  test('gradients by activations and bias agree with central differences', async () => {
    const data = Float32Array.from({ length: 2 * shape[1] }, () => rng.normal());
    const inputs = {
      x: { shape: ['rows', shape[1]], dims: [2, shape[1]], data },
      bias: { shape: [shape[0]], dims: [shape[0]], data: new Float32Array(shape[0]).fill(0.5) },
    };
    const build = (g: GraphBuilder, { x, bias }: Record<string, Parameters<typeof quantizedProduct>[1]>) =>
      quantizedProduct(g, x, 'w', weight, bias, { accuracyLevel: 0 });
    for (const comparison of await checkGradients(device, { inputs, build }, { step: 1e-2 }))
      expect(comparison.error < 2e-3 ? 'agrees' : comparison).toBe('agrees');
  });
});

test('a block of zeros stays zero; odd sizes and broken weights are refused', () => {
  expect(dequantize(quantize(new Float32Array(32), [1, 32], { bits: 4, blockSize: 32 }))).toEqual(new Float32Array(32));
  expect(() => quantize(values.subarray(0, 40), [1, 40], { bits: 4, blockSize: 32 })).toThrow(/blocks of 32/);
  const broken = values.slice(0, 64).fill(NaN, 40, 41);
  expect(() => quantize(broken, [1, 64], { bits: 8, blockSize: 32 })).toThrow('row 0, column 40 is NaN');
});
