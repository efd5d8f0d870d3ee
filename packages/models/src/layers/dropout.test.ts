import { GraphBuilder, openDevice, webgpuAvailable } from '@bowyer/graph';
import { when } from '@bowyer/testing';
import { SeededDropout } from './dropout.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const WIDTH = 100;
const SIZE = 200 * WIDTH;

/** Applies dropout to ones at two places of a graph, for each of the seeds. */
async function masks(probability: number, seeds: number[], where = device): Promise<Float32Array[][]> {
  const g = new GraphBuilder('dropout');
  const x = g.input('x', 'float32', ['rows', WIDTH]);
  const dropout = new SeededDropout(g, g.input('seed', 'int32', []));
  g.output('first', dropout.apply(x, probability));
  g.output('second', dropout.apply(x, probability));
  const program = await where.compile(g);
  const results: Float32Array[][] = [];
  for (const seed of seeds) {
    const ones = { dims: [SIZE / WIDTH, WIDTH], data: new Float32Array(SIZE).fill(1) };
    const { first, second } = await program.run({ inputs: { x: ones, seed: { dims: [], data: [seed] } } });
    results.push([first.data as Float32Array, second.data as Float32Array]);
  }
  return results;
}

const mean = (xs: ArrayLike<number>) => Array.from(xs).reduce((sum, x) => sum + x, 0) / xs.length;

/** Computes the correlation of two 0/1 patterns; that of independent ones is within 4/√20000 = 0.028 nearly always. */
function correlation(a: Float32Array, b: Float32Array): number {
  const [ma, mb] = [mean(a), mean(b)];
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) ** 2;
    bb += (b[i] - mb) ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

test('a share p of the elements is zero, the others are scaled by 1 / (1 − p)', async () => {
  const [[mask]] = await masks(0.25, [7]);
  const dropped = mask.filter((x) => x === 0).length / SIZE;
  expect(Math.abs(dropped - 0.25)).toBeLessThan(0.0123); // four deviations of √(p(1−p)/n)
  expect([...new Set(mask.filter((x) => x !== 0))]).toEqual([Math.fround(1 / 0.75)]);
});

test('masks of neighbouring elements, of two sites and of consecutive seeds are unrelated', async () => {
  const [[first, second], [next]] = await masks(0.5, [1, 2]);
  for (const lag of [1, 2, 64, WIDTH, WIDTH + 1])
    expect(Math.abs(correlation(first.slice(lag), first.slice(0, -lag)))).toBeLessThan(0.03);
  expect(Math.abs(correlation(first, second))).toBeLessThan(0.03);
  expect(Math.abs(correlation(first, next))).toBeLessThan(0.03);
});

test('the same seed gives the same masks', async () => {
  const [a, b] = await masks(0.1, [5, 5]);
  expect(a).toEqual(b);
});

test('no row and no column is dropped more than others', async () => {
  const [[mask]] = await masks(0.3, [3]);
  const counts = { rows: new Float64Array(SIZE / WIDTH), columns: new Float64Array(WIDTH) };
  mask.forEach((x, i) => {
    counts.rows[Math.floor(i / WIDTH)] += x === 0 ? 1 : 0;
    counts.columns[i % WIDTH] += x === 0 ? 1 : 0;
  });
  for (const list of Object.values(counts)) {
    const n = SIZE / list.length;
    const chi2 = list.reduce((sum, count) => sum + (count - 0.3 * n) ** 2 / (0.3 * 0.7 * n), 0);
    // χ² with as many degrees of freedom as there are counts, within four standard deviations
    expect(Math.abs(chi2 - list.length)).toBeLessThan(4 * Math.sqrt(2 * list.length));
  }
});

when(await webgpuAvailable(), 'no WebGPU adapter').test(
  'on a GPU the masks of a seed are those of the CPU',
  async () => {
    const webgpu = await openDevice({ device: 'webgpu' });
    try {
      expect(await masks(0.1, [5, 2 ** 31 - 2], webgpu)).toEqual(await masks(0.1, [5, 2 ** 31 - 2]));
    } finally {
      await webgpu.close();
    }
  },
);

test('rows that several processes divide among them keep the masks of the whole batch', async () => {
  const maskOf = async (rows: number, firstRow: number) => {
    const g = new GraphBuilder('part');
    const x = g.input('x', 'float32', ['batch', 'tokens', 8]);
    const dropout = new SeededDropout(g, g.scalar(7, 'int32'), g.input('first', 'int32', []));
    g.output('mask', dropout.apply(g.reshape(x, [-1, 8]), 0.5));
    const ones = { dims: [rows, 3, 8], data: new Float32Array(rows * 24).fill(1) };
    const program = await device.compile(g);
    const { mask } = await program.run({ inputs: { x: ones, first: { dims: [], data: [firstRow] } } });
    return [...mask.data];
  };
  expect([...(await maskOf(2, 0)), ...(await maskOf(3, 2))]).toEqual(await maskOf(5, 0));
});
