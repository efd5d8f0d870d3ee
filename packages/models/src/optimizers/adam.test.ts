import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, type State } from '@bowyer/graph';
import { newFolder } from '@bowyer/testing';
import type { AdamOptions } from './adam.js';
import { createOptimizer } from './create-optimizer.js';
import type { Optimizer } from './optimizer.js';
import { readStateDict } from '../weights/state-dict.js';

const options: AdamOptions = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 };
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const create = (kind: 'adam' | 'adamw', parameters: State, given = options) =>
  createOptimizer(device, parameters, { kind, ...given });
const parametersOf = (values: number[]) =>
  device.createState({ w: { shape: [values.length], data: Float32Array.from(values) } });
const setGradient = (optimizer: Optimizer, values: number[]) =>
  device.write(optimizer.gradients, { w: { data: Float32Array.from(values) } });
const valuesOf = async (state: State) => [...(await readStateDict(device, state)).w.data];

test('the first step of Adam is lr · sign of the gradient, whatever its size', async () => {
  const optimizer = await create('adam', await parametersOf([1, 1, 1]));
  await setGradient(optimizer, [3, -0.001, 0]);
  await optimizer.step({ lr: 0.1, maxGradNorm: Infinity });
  const [a, b, c] = await valuesOf(optimizer.parameters);
  // m̂ = g and v̂ = g², so the step is 0.1 · g / (|g| + 1e-8)
  expect(a).toBeCloseTo(0.9, 6);
  expect(b).toBeCloseTo(1.1, 5);
  expect(c).toBe(1);
  expect(await valuesOf(optimizer.gradients)).toEqual([0, 0, 0]);
});

test('two steps by hand', async () => {
  const optimizer = await create('adam', await parametersOf([0]));
  await setGradient(optimizer, [1]);
  await optimizer.step({ lr: 0.01, maxGradNorm: Infinity });
  await setGradient(optimizer, [-2]);
  await optimizer.step({ lr: 0.01, maxGradNorm: Infinity });
  // m = 0.9·0.1 − 0.2 = −0.11,  m̂ = −0.11 / 0.19;  v = 0.999·0.001 + 0.004 = 0.004999,  v̂ = 0.004999 / 0.001999
  const second = (0.01 * (-0.11 / 0.19)) / Math.sqrt(0.004999 / 0.001999);
  expect((await valuesOf(optimizer.parameters))[0]).toBeCloseTo(-0.01 - second, 7);
});

test('a large tensor, updated where it lies, ends bit-equal to its halves, updated through copies', async () => {
  const rng = new Rng(5);
  const draw = () => Float32Array.from({ length: 40_010 }, () => rng.normal());
  const halves = (values: Float32Array) => ({
    a: values.slice(0, 15_000),
    b: values.slice(15_000, 27_002),
    c: values.slice(27_002),
  });
  const [start, ...gradients] = [draw(), draw(), draw()];
  const results: number[][] = [];
  const norms: number[][] = [];
  for (const parts of [(values: Float32Array) => ({ whole: values.slice() }), halves]) {
    const tensors = Object.entries(parts(start)).map(([name, data]) => [name, { shape: [data.length], data }]);
    const optimizer = await create('adamw', await device.createState(Object.fromEntries(tensors)));
    const seen: number[] = [];
    for (const gradient of gradients) {
      const written = Object.entries(parts(gradient)).map(([name, data]) => [name, { data }]);
      await device.write(optimizer.gradients, Object.fromEntries(written));
      seen.push((await optimizer.step({ lr: 0.1, maxGradNorm: Infinity })).gradientNorm);
    }
    norms.push(seen);
    for (const state of [optimizer.parameters, optimizer.gradients])
      results.push(Object.values(await readStateDict(device, state)).flatMap(({ data }) => [...data]));
    await optimizer.release();
  }
  expect(results[0]).toEqual(results[2]);
  expect(results[1].every((x) => x === 0)).toBe(true);
  norms[0].forEach((norm, i) => expect(norm).toBeCloseTo(norms[1][i], 9));
});

test('weight decay: Adam adds it to the gradient, AdamW shrinks the parameter', async () => {
  const decayed = { ...options, weightDecay: 0.5 };
  const adam = await create('adam', await parametersOf([2]), decayed);
  const adamW = await create('adamw', await parametersOf([2]), decayed);
  for (const optimizer of [adam, adamW]) await optimizer.step({ lr: 0.1, maxGradNorm: Infinity });
  expect((await valuesOf(adam.parameters))[0]).toBeCloseTo(1.9, 6); // gradient 0 + 0.5·2: a whole step of 0.1
  expect((await valuesOf(adamW.parameters))[0]).toBeCloseTo(2 * (1 - 0.1 * 0.5), 6); // gradient 0: decay alone
});

test('the clip is by the norm of all gradients, and the norm before it is returned', async () => {
  const parameters = await device.createState({
    a: { shape: [1], data: Float32Array.of(0) },
    b: { shape: [1], data: Float32Array.of(0) },
  });
  // β₂ = 0 and a large ε make the step proportional to the gradient: p −= lr · g / (|g| + ε)
  const optimizer = await create('adam', parameters, { betas: [0, 0], eps: 1e6, weightDecay: 0 });
  const gradients = { a: { data: Float32Array.of(3) }, b: { data: Float32Array.of(4) } };
  await device.write(optimizer.gradients, gradients);
  const clipped = await optimizer.step({ lr: 1e6, maxGradNorm: 1 });
  expect(clipped.gradientNorm).toBeCloseTo(5, 6);
  expect(clipped.clipCoefficient).toBeCloseTo(1 / 5, 6);
  const read = await readStateDict(device, parameters);
  expect([read.a.data[0], read.b.data[0]].map((x) => x.toFixed(4))).toEqual(['-0.6000', '-0.8000']);

  await device.write(optimizer.gradients, gradients);
  const halved = await optimizer.step({ lr: 0, maxGradNorm: 1, gradientScale: 0.5, othersNorm: 6 });
  expect(halved.gradientNorm).toBeCloseTo(2.5, 6);
  expect(halved.clipCoefficient).toBeCloseTo(1 / 6.5, 5); // √(2.5² + 6²) = 6.5
});

test('with a stale gradient of others, of norm 1, and an own norm of 1 the clip scales by 1/√2', async () => {
  const optimizer = await create('adam', await parametersOf([0]));
  await setGradient(optimizer, [1]);
  expect((await optimizer.step({ lr: 0, maxGradNorm: 1, othersNorm: 1 })).clipCoefficient).toBeCloseTo(Math.SQRT1_2, 5);
  await setGradient(optimizer, [1]);
  expect((await optimizer.step({ lr: 0, maxGradNorm: 1 })).clipCoefficient).toBeCloseTo(1, 5);
});

test('a checkpoint of another model is refused', async () => {
  const path = join(newFolder(), 'optimizer.safetensors');
  await (await create('adam', await parametersOf([1, 2]))).save(path);
  const other = await create('adam', await parametersOf([1, 2, 3]));
  await expect(other.restore(path)).rejects.toThrow(
    `Cannot read ${path}, tensor 'first_moment.w'\n  expected shape [3]\n  found shape [2]`,
  );
  writeFileSync(path, 'none');
  await expect(other.restore(path)).rejects.toThrow(`Cannot read ${path}\n`);
});
