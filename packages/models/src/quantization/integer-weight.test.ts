// Tests integer products: the mixing by hand, the product against the same sums in float64, and that a row depends on no other.
import { Rng } from '@bowyer/core';
import { GraphBuilder, openDevice, type Program } from '@bowyer/graph';
import { weightsAsIntegers } from '../decoding/prepacked-programs.js';
import { integerKind, integerNames, integerState } from './integer-decoding.js';
import {
  integerProduct,
  integerWeight,
  mixedRun,
  mixingMatrix,
  roundingGraph,
  weightRows,
  type IntegerKind,
} from './integer-weight.js';
import { dequantize, emptyQuantizedWeight, quantize } from './quantized-weight.js';

const { abs, hypot, max, round } = Math; // Jest looks globals up slowly
const rng = new Rng(6);
const normals = (length: number) => Float32Array.from({ length }, () => rng.normal());
const [outputs, inputs] = [70, 96]; // more than one tile of rows, three runs
const weight = quantize(normals(outputs * inputs), [outputs, inputs], { bits: 8, blockSize: 32 });

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Computes x [rows, in] · Wᵀ + bias on the device. */
async function product(x: Float32Array, kind: IntegerKind, bias = new Float32Array(outputs)): Promise<Float32Array> {
  const g = new GraphBuilder('product');
  const state = await integerState(device, new Map([['w', weightRows(weight)]]), kind);
  const names = integerNames('w');
  const numbers = g.input(names.numbers, kind, [inputs, outputs]);
  const scales = g.input(names.scales, 'float32', [outputs]);
  const rows = g.input('x', 'float32', ['rows', inputs]);
  g.output('y', integerProduct(g, rows, { numbers, scales }, g.initializer('bias', bias, [outputs])));
  const program = await device.compile(g);
  const constants = Object.fromEntries(state.names.map((name) => [name, [state, name] as const]));
  const bound = await program.bind({ constants });
  await device.release(state);
  const { y } = await bound.run({ inputs: { x: { dims: [x.length / inputs, inputs], data: x } } });
  await program.release();
  return y.data as Float32Array;
}

/** Computes the same in float64 without any rounding of activations. */
function plainProduct(x: Float32Array): number[] {
  const plain = dequantize(weight);
  return Array.from({ length: (x.length / inputs) * outputs }, (_, at) => {
    const [row, output] = [Math.floor(at / outputs), at % outputs];
    let sum = 0;
    for (let i = 0; i < inputs; i++) sum += x[row * inputs + i] * plain[output * inputs + i];
    return sum;
  });
}

const relativeError = (got: ArrayLike<number>, wanted: number[]) =>
  hypot(...wanted.map((value, i) => value - got[i])) / hypot(...wanted);

/** Mixes every run of 32 numbers by the matrix, in float64. */
function mixRuns(values: ArrayLike<number>): number[] {
  const matrix = mixingMatrix(32);
  return Array.from({ length: values.length }, (_, at) => {
    let sum = 0;
    for (let i = 0; i < 32; i++) sum += values[at - (at % 32) + i] * matrix[i * 32 + (at % 32)];
    return sum;
  });
}

test('mixing two numbers takes their sum and difference over √2', () => {
  expect([...mixingMatrix(2)]).toEqual([1, 1, 1, -1].map((sign) => expect.closeTo(sign / Math.SQRT2)));
});

test('mixing twice gives the numbers back, and mixing one spreads it evenly over its run and over no other', () => {
  const values = normals(64);
  mixRuns(mixRuns(values)).forEach((value, i) => expect(value).toBeCloseTo(values[i], 5));
  const single = new Float32Array(64);
  single[5] = 8;
  mixRuns(single).forEach((value, i) => expect(abs(value)).toBeCloseTo(i < 32 ? 8 / Math.sqrt(32) : 0, 5));
});

test('runs are powers of two that divide the row', () => {
  expect([768, 352, 48, 172, 7].map(mixedRun)).toEqual([32, 32, 16, 4, 1]);
});

describe.each(['int8', 'uint8'] as const)('as %s', (kind) => {
  let rounding: Program;
  beforeAll(async () => {
    rounding = await device.compile(roundingGraph(inputs, kind));
  });
  afterAll(() => rounding.release());

  test('each number is the nearest of 255 levels of its output', async () => {
    const { numbers, scales } = await integerWeight(weightRows(weight), kind, rounding);
    const mixed = mixRuns(dequantize(weight));
    const middle = kind === 'int8' ? 0 : 128;
    for (let output = 0; output < outputs; output++) {
      const row = mixed.slice(output * inputs, (output + 1) * inputs);
      const largest = max(...row.map(abs));
      expect(scales[output]).toBeCloseTo(largest / 127 ** 2, 8);
      const levels = row.map((_, input) => numbers[input * outputs + output] - middle);
      row.forEach((value, input) => expect(abs(levels[input] - (127 * value) / largest)).toBeLessThan(0.501));
    }
  });

  test('in slices it is the same', async () => {
    const whole = await integerWeight(weightRows(weight), kind, rounding);
    expect(await integerWeight(weightRows(weight), kind, rounding, 16 * inputs)).toEqual(whole);
  });
});

test('the product is that with the numbers that the weight stands for, to the rounding of 8 bits', async () => {
  const x = normals(5 * inputs);
  // There are two roundings by at most half a level of 4/127 standard deviations: about 1 % of the result.
  expect(relativeError(await product(x, await integerKind(device)), plainProduct(x))).toBeLessThan(0.015);
});

test('one activation a hundred times the others takes few of their bits', async () => {
  const x = normals(inputs);
  const outlier = x.slice();
  outlier[40] *= 100 / abs(outlier[40]);
  const wanted = plainProduct(outlier);
  const own = plainProduct(Float32Array.from(outlier, (value, i) => (i === 40 ? value : 0)));
  const got = await product(outlier, await integerKind(device));
  // The other activations contribute about √95. If they were rounded to levels of 100/127, this would be off by a quarter.
  const others = (y: ArrayLike<number>) => own.map((value, i) => y[i] - value);
  expect(relativeError(others(got), others(wanted))).toBeLessThan(0.12);
});

test('a row’s result is the same to the bit alone and beside others; a row of zeros gives the bias', async () => {
  const bias = normals(outputs);
  const x = normals(7 * inputs);
  x.fill(0, 2 * inputs, 3 * inputs);
  const together = await product(x, 'int8', bias);
  for (const row of [0, 6]) {
    const alone = await product(x.slice(row * inputs, (row + 1) * inputs), 'int8', bias);
    expect(alone).toEqual(together.slice(row * outputs, (row + 1) * outputs));
  }
  expect(together.slice(2 * outputs, 3 * outputs)).toEqual(bias);
});

test('signed and unsigned weights give the same bits where the CPU adds exactly', async () => {
  const x = normals(17 * inputs);
  const kind = await integerKind(device);
  expect(await product(x, kind)).toEqual(await product(x, 'uint8'));
});

test('models of 64 MiB to 4 GiB in float32 decode with integers, unless asked otherwise', () => {
  const of = (rows: number) => new Map([['w', emptyQuantizedWeight([rows, 2048], { bits: 4, blockSize: 32 })]]);
  expect(weightsAsIntegers(of(8192), undefined).size).toBe(1);
  expect(weightsAsIntegers(of(8191), undefined).size).toBe(0);
  expect(weightsAsIntegers(of(8), true).size).toBe(1);
  expect(weightsAsIntegers(of(8192), false).size).toBe(0);
  const large = {
    ...emptyQuantizedWeight([1, 32], { bits: 4, blockSize: 32 }),
    shape: [round(2 ** 20), 1025] as const,
  };
  expect(weightsAsIntegers(new Map([['w', large]]), undefined).size).toBe(0);
});
