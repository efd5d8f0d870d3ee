import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { AdamW } from './optimizer-adam.js';
import { AdamW8bit } from './optimizer-adamw-8bit.js';
import { dynamicMap } from './kernels/dynamic-quantization.js';
import type { Optimizer } from './optimizer.js';
import { copyTensors } from './state-tensors.js';

const options = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.1 } as const;
const { abs } = Math; // a global is slow to look up inside Jest
const shapes = { large: [100, 90], small: [50] }; // 9,000 elements: a piece, a ragged end of blocks; 50: not quantised
let device: Device;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(() => device.close());

const tensors = (rng: Rng, scale = 1) =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const size = shape.reduce((product, dim) => product * dim, 1);
      return [name, { shape, data: Float32Array.from({ length: size }, () => scale * rng.normal()) }];
    }),
  );
const create = async (kind: typeof AdamW8bit | typeof AdamW): Promise<Optimizer> =>
  kind.create(device, await device.createState(tensors(new Rng(1))), options);
const take = async (optimizer: Optimizer, steps: number[]) => {
  for (const step of steps) {
    await device.write(optimizer.gradients, tensors(new Rng(100 + step), 0.01 * (1 + step)));
    await optimizer.step({ lr: 0.01, maxGradNorm: 1 });
  }
  return copyTensors(device, optimizer.parameters);
};

test('three steps equal a float64 loop that rounds each moment to the nearest of all 256 values', async () => {
  const start = tensors(new Rng(1)).large.data;
  const optimizer = await create(AdamW8bit);
  const found = await take(optimizer, [0, 1, 2]);

  const p = Float64Array.from(start);
  const [m, v] = [new Float64Array(9000), new Float64Array(9000)];
  const rounded = (values: Float64Array, map: Float32Array) => {
    for (let begin = 0; begin < values.length; begin += 256) {
      const block = values.subarray(begin, begin + 256);
      const largest = Math.max(...block.map(Math.abs));
      block.forEach((x, i) => {
        const ratio = x / largest;
        let best = map[0];
        for (const y of map) if (abs(y - ratio) < abs(best - ratio)) best = y;
        block[i] = best * largest;
      });
    }
  };
  for (const step of [0, 1, 2]) {
    const gradients = tensors(new Rng(100 + step), 0.01 * (1 + step));
    const all = [...gradients.large.data, ...gradients.small.data];
    const clip = Math.min(1, 1 / (Math.hypot(...all) + 1e-6));
    for (let i = 0; i < p.length; i++) {
      const g = gradients.large.data[i] * clip;
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      const [mHat, vHat] = [m[i] / (1 - 0.9 ** (step + 1)), v[i] / (1 - 0.999 ** (step + 1))];
      p[i] = p[i] * (1 - 0.01 * 0.1) - (0.01 * mHat) / (Math.sqrt(vHat) + 1e-8);
    }
    rounded(m, dynamicMap(true));
    rounded(v, dynamicMap(false));
  }
  // A moment that lies halfway may round the other way in float32: few parameters, and by less than a step.
  const errors = [...found.large.data].map((x, i) => Math.abs(x - p[i]));
  expect(errors.filter((error) => error > 1e-5).length).toBeLessThan(9);
  expect(Math.max(...errors)).toBeLessThan(0.01);
});

test('small tensors are stepped as by AdamW, large ones nearly so', async () => {
  const steps = [0, 1, 2, 3, 4, 5, 6, 7];
  const [exact, quantised] = [await take(await create(AdamW), steps), await take(await create(AdamW8bit), steps)];
  expect(quantised.small.data).toEqual(exact.small.data);
  const before = tensors(new Rng(1)).large.data;
  const difference = Math.hypot(...exact.large.data.map((x, i) => x - quantised.large.data[i]));
  const path = Math.hypot(...exact.large.data.map((x, i) => x - before[i]));
  expect(difference).toBeGreaterThan(0);
  expect(difference / path).toBeLessThan(0.1);
});

test('gradients that are not finite change nothing', async () => {
  const optimizer = await create(AdamW8bit);
  await device.write(optimizer.gradients, { small: { data: new Float32Array(50).fill(NaN) } });
  expect(await optimizer.step({ lr: 0.1, maxGradNorm: 1 })).toEqual({ gradientNorm: NaN, clipCoefficient: 0 });
  expect((await copyTensors(device, optimizer.parameters)).large.data).toEqual(tensors(new Rng(1)).large.data);
});

test('on a GPU it is refused, before anything is made there', async () => {
  const gpu = Object.create(device, { kind: { value: 'webgpu' } }) as Device; // a GPU is not needed to be told so
  const parameters = await device.createState(tensors(new Rng(1)));
  await expect(AdamW8bit.create(gpu, parameters, options)).rejects.toThrow('take optimizer=adamw there, or device=cpu');
});

describe('checkpoints', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'bowyer-adamw-8bit-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  test('saved and restored between two steps, the parameters end bit-equal', async () => {
    const path = join(dir, 'optimizer.safetensors');
    const whole = await take(await create(AdamW8bit), [0, 1, 2, 3]);
    const first = await create(AdamW8bit);
    const halfway = await take(first, [0, 1]);
    await first.save(path);
    // Two bytes for each of 9,000 moments, four for those of 36 blocks and of 50 small ones: as in memory.
    expect(statSync(path).size).toBeLessThan(2 * 9000 + 2 * 4 * (36 + 50) + 1024);
    const second = await AdamW8bit.create(device, await device.createState(halfway), options);
    await second.restore(path);
    expect(second.steps).toBe(2);
    expect(await take(second, [2, 3])).toEqual(whole);
  });

  test("another optimizer's file is refused", async () => {
    const path = join(dir, 'optimizer.safetensors');
    await (await create(AdamW)).save(path);
    await expect((await create(AdamW8bit)).restore(path)).rejects.toThrow("tensor 'first_moment_scale.large'");
  });
});
