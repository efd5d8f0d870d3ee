// Tests what all optimizers have in common, on the worker's arrays and as a graph.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { newFolder } from '@bowyer/testing';
import { readStateDict } from '../weights/state-dict.js';
import { createOptimizer, type OptimizerOptions } from './create-optimizer.js';
import type { Optimizer } from './optimizer.js';

const adam = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.1 } as const;
const momentum = { momentum: 0.9, nesterov: true };
const kinds: readonly OptimizerOptions[] = [
  { kind: 'adam', ...adam },
  { kind: 'adamw', ...adam },
  { kind: 'adamw_8bit', ...adam },
  { kind: 'sgd', weightDecay: 0.1, ...momentum },
  { kind: 'muon', ...adam, ...momentum },
];
const shapes = { matrix: [100, 90], small: [50] }; // 9,000 elements, and 50 that are not quantised

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

function draw(seed: number) {
  const rng = new Rng(seed);
  const drawn = Object.entries(shapes).map(([name, shape]) => {
    const length = shape.reduce((product, dim) => product * dim, 1);
    return [name, { shape, data: Float32Array.from({ length }, () => rng.normal()) }] as const;
  });
  return Object.fromEntries(drawn);
}
const create = async (options: OptimizerOptions) =>
  createOptimizer(device, await device.createState(draw(0)), options, ['matrix']);
const parametersOf = ({ parameters }: Optimizer) => readStateDict(device, parameters);

async function take(optimizer: Optimizer, steps: readonly number[]) {
  for (const step of steps) {
    await device.write(optimizer.gradients, draw(step));
    await optimizer.step({ lr: 0.01, maxGradNorm: 1 });
  }
}

describe.each(kinds)('$kind', (options) => {
  test('saved and restored between two steps, the parameters end bit-equal', async () => {
    const path = join(newFolder(), 'optimizer.safetensors');
    const [whole, resumed] = [await create(options), await create(options)];
    await take(whole, [1, 2]);
    await whole.save(path);
    await device.write(resumed.parameters, await parametersOf(whole));
    await resumed.restore(path);
    expect(resumed.steps).toBe(2);
    for (const optimizer of [whole, resumed]) await take(optimizer, [3, 4]);
    expect(await parametersOf(resumed)).toEqual(await parametersOf(whole));
    // The file has two bytes for each of 36 · 256 moments, and four for the scales of 36 blocks and for 50 small moments.
    if (options.kind === 'adamw_8bit')
      expect(statSync(path).size).toBeLessThan(2 * 36 * 256 + 2 * 4 * (36 + 50) + 1024);
  });

  test.each(['host', 'graph'] as const)('gradients that are not finite change nothing, as %s', async (run) => {
    const optimizer = await create({ ...options, run });
    await device.write(optimizer.gradients, { small: { data: new Float32Array(50).fill(NaN) } });
    expect(await optimizer.step({ lr: 0.1, maxGradNorm: 1 })).toEqual({ gradientNorm: NaN, clipCoefficient: 0 });
    expect(await parametersOf(optimizer)).toEqual(draw(0));
    expect(optimizer.steps).toBe(0);
    const gradients = Object.values(await readStateDict(device, optimizer.gradients));
    expect(gradients.every(({ data }) => data.every((x) => x === 0))).toBe(true);
  });
});
