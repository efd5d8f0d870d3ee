import { join } from 'node:path';
import { openDevice, type State } from '@bowyer/graph';
import { newFolder } from '@bowyer/testing';
import { LossScaledOptimizer } from './loss-scaling.js';
import { createOptimizer } from './create-optimizer.js';
import type { Optimizer } from './optimizer.js';

const folder = newFolder();
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const adam = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 } as const;
const step = { lr: 0.1, maxGradNorm: 1 };

async function opened(): Promise<{ plain: Optimizer; scaled: LossScaledOptimizer; weights: State }> {
  const weights = await device.createState({ w: { shape: [2], data: Float32Array.of(1, -2) } });
  const plain = await createOptimizer(device, weights, { kind: 'adamw', ...adam });
  return { plain, scaled: new LossScaledOptimizer(plain), weights };
}

const give = (gradients: State, numbers: number[]) =>
  device.write(gradients, { w: { data: Float32Array.from(numbers) } });
const valuesOf = async (state: State) => [...(await device.read(state)).w.data].map(Number);

test('the step divides by the scale before it clips: norm and weights are those of unscaled gradients', async () => {
  const [one, other] = [await opened(), await opened()];
  await give(one.plain.gradients, [3, 4]);
  const wanted = await one.plain.step(step);
  await give(other.plain.gradients, [3 * 65536, 4 * 65536]);
  expect(other.scaled.lossScale).toBe(65536);
  expect(await other.scaled.step(step)).toEqual(wanted);
  expect(wanted.gradientNorm).toBe(5);
  expect(await valuesOf(other.weights)).toEqual(await valuesOf(one.weights));
});

test.each([[Infinity], [NaN]])('a gradient of %p: nothing changes but the scale, which is halved', async (bad) => {
  const { scaled, weights } = await opened();
  await give(scaled.gradients, [1, bad]);
  expect(await scaled.step(step)).toEqual({ gradientNorm: 0, clipCoefficient: 0 });
  expect(await valuesOf(weights)).toEqual([1, -2]);
  expect(await valuesOf(scaled.gradients)).toEqual([0, 0]);
  expect([scaled.lossScale, scaled.steps]).toEqual([32768, 0]);
});

test('2,000 good steps in a row double the scale; a bad one between starts the count again', async () => {
  const { scaled } = await opened();
  const good = async (count: number) => {
    for (let i = 0; i < count; i++) await scaled.step({ lr: 0, maxGradNorm: 1 });
  };
  await good(1500);
  await give(scaled.gradients, [Infinity, 0]);
  await scaled.step(step);
  await good(1999);
  expect(scaled.lossScale).toBe(32768);
  await good(1);
  expect(scaled.lossScale).toBe(65536);
});

test('scale and count are in the file; a resumed run has them, and one from a float32 file starts again', async () => {
  const path = join(folder, 'optimizer.safetensors');
  const first = await opened();
  await give(first.scaled.gradients, [Infinity, 0]);
  await first.scaled.step(step);
  for (let i = 0; i < 1999; i++) await first.scaled.step({ lr: 0, maxGradNorm: 1 });
  await first.scaled.save(path);
  const second = await opened();
  await second.scaled.restore(path);
  expect([second.scaled.lossScale, second.scaled.steps]).toEqual([32768, 1999]);
  await second.scaled.step({ lr: 0, maxGradNorm: 1 });
  expect(second.scaled.lossScale).toBe(65536);
  await first.plain.save(path);
  await second.scaled.restore(path);
  expect(second.scaled.lossScale).toBe(65536);
});

test('gradients that stay infinite whatever the scale are reported as they are', async () => {
  const { scaled } = await opened();
  const norms: number[] = [];
  for (let i = 0; i < 31; i++) {
    await give(scaled.gradients, [Infinity, 0]);
    norms.push((await scaled.step(step)).gradientNorm);
  }
  expect(norms.slice(0, 30)).toEqual(Array(30).fill(0)); // from 2¹⁶ to 2⁻¹⁴
  expect(norms[30]).toBe(Infinity);
});
