import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { createOptimizer } from './create-optimizer.js';
import type { Optimizer } from './optimizer.js';
import { readSafetensors } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { readStateDict } from '../weights/state-dict.js';

const options = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.1 } as const;
const { abs } = Math; // Jest looks globals up slowly
const shapes = { large: [100, 90], small: [50] }; // 9,000 elements are a piece and an incomplete block; 50 are not quantised
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const tensors = (rng: Rng, scale = 1) =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const size = shape.reduce((product, dim) => product * dim, 1);
      return [name, { shape, data: Float32Array.from({ length: size }, () => scale * rng.normal()) }];
    }),
  );
const create = async (kind: 'adamw' | 'adamw_8bit', run?: 'host' | 'graph') =>
  createOptimizer(device, await device.createState(tensors(new Rng(1))), { kind, ...options, run });
const take = async (optimizer: Optimizer, steps: number[]) => {
  for (const step of steps) {
    await device.write(optimizer.gradients, tensors(new Rng(100 + step), 0.01 * (1 + step)));
    await optimizer.step({ lr: 0.01, maxGradNorm: 1 });
  }
  return readStateDict(device, optimizer.parameters);
};

/** Rounds each value of a block to the nearest code of power-codes.ts, and back. */
function rounded(values: Float64Array, round: (ratio: number) => number): void {
  for (let begin = 0; begin < values.length; begin += 256) {
    const block = values.subarray(begin, begin + 256);
    const largest = Math.max(...block.map(Math.abs));
    block.forEach((x, i) => (block[i] = round(x / largest) * largest));
  }
}
const roundedMoment = (ratio: number) => Math.sign(ratio) * (Math.round(127 * Math.sqrt(abs(ratio))) / 127) ** 2;
const roundedRoot = (ratio: number) => (Math.max(1, Math.round(255 * Math.sqrt(ratio))) / 255) ** 2;

test.each(['host', 'graph'] as const)(
  'three steps equal a float64 loop that rounds the moments; as %s',
  async (run) => {
    const start = tensors(new Rng(1)).large.data;
    const optimizer = await create('adamw_8bit', run);
    const found = await take(optimizer, [0, 1, 2]);

    const p = Float64Array.from(start);
    const [m, root] = [new Float64Array(9000), new Float64Array(9000)];
    for (const step of [0, 1, 2]) {
      const gradients = tensors(new Rng(100 + step), 0.01 * (1 + step));
      const all = [...gradients.large.data, ...gradients.small.data];
      const clip = Math.min(1, 1 / (Math.hypot(...all) + 1e-6));
      for (let i = 0; i < p.length; i++) {
        const g = gradients.large.data[i] * clip;
        m[i] = 0.9 * m[i] + 0.1 * g;
        root[i] = Math.sqrt(0.999 * root[i] ** 2 + 0.001 * g * g);
        const [mHat, rootHat] = [m[i] / (1 - 0.9 ** (step + 1)), root[i] / Math.sqrt(1 - 0.999 ** (step + 1))];
        p[i] = p[i] * (1 - 0.01 * 0.1) - (0.01 * mHat) / (rootHat + 1e-8);
      }
      rounded(m, roundedMoment);
      rounded(root, roundedRoot);
    }
    // A moment halfway between two codes may be rounded the other way in float32: this changes few parameters, by less than a step.
    const errors = [...found.large.data].map((x, i) => abs(x - p[i]));
    expect(errors.filter((error) => error > 1e-5).length).toBeLessThan(9);
    expect(Math.max(...errors)).toBeLessThan(0.01);
  },
);

test('a weight with a tiny gradient among large ones is stepped no further than by AdamW', async () => {
  // √v of 10⁻⁷ times the block's largest is below the least code. If it were rounded to zero, the step would be m / ε.
  const gradient = Float32Array.from({ length: 9000 }, (_, i) => (i % 256 === 0 ? 1 : 1e-7));
  const optimizer = await create('adamw_8bit');
  const before = (await readStateDict(device, optimizer.parameters)).large.data;
  for (const g of [gradient, new Float32Array(9000)]) {
    await device.write(optimizer.gradients, { large: { data: g } });
    await optimizer.step({ lr: 0.01, maxGradNorm: Infinity });
  }
  const after = (await readStateDict(device, optimizer.parameters)).large.data;
  const steps = after.map((x, i) => abs(x - before[i] * (1 - 0.01 * 0.1) ** 2));
  expect(Math.max(...steps)).toBeLessThan(0.02 + 1e-6); // two steps of lr
});

test('moments that fade away become zero, not subnormal numbers', async () => {
  const optimizer = await create('adamw_8bit');
  await device.write(optimizer.gradients, { large: { data: new Float32Array(9000).fill(1e-15) } });
  await optimizer.step({ lr: 0.01, maxGradNorm: Infinity });
  const path = join(newFolder(), 'optimizer.safetensors');
  await optimizer.save(path);
  const tensorsOf = await readSafetensors(path);
  rmSync(path);
  // √(0.001) · 10⁻¹⁵ is below 2⁻⁴⁶, so both scales become zero.
  for (const name of ['first_moment_scale.large', 'second_moment_scale.large'])
    expect(tensorsOf[name].data.every((x) => x === 0)).toBe(true);
});

test('small tensors are stepped as by AdamW, large ones nearly so', async () => {
  const steps = [0, 1, 2, 3, 4, 5, 6, 7];
  const [exact, quantised] = [await take(await create('adamw'), steps), await take(await create('adamw_8bit'), steps)];
  expect(quantised.small.data).toEqual(exact.small.data);
  const before = tensors(new Rng(1)).large.data;
  const difference = Math.hypot(...exact.large.data.map((x, i) => x - quantised.large.data[i]));
  const path = Math.hypot(...exact.large.data.map((x, i) => x - before[i]));
  expect(difference).toBeGreaterThan(0);
  expect(difference / path).toBeLessThan(0.1);
});

test("another optimizer's file is refused", async () => {
  const path = join(newFolder(), 'optimizer.safetensors');
  await (await create('adamw')).save(path);
  await expect((await create('adamw_8bit')).restore(path)).rejects.toThrow(
    `Cannot read ${path}\n  expected metadata 'moment_codes' with 'squares'\n  found none\n  it contains the state of another optimizer or ` +
      'version: resume with the optimizer that wrote it, or start again from the weights',
  );
});
