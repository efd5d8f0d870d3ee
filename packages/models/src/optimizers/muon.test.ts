// Compares Muon with torch.optim.Muon (2.13, its bfloat16 replaced by float64, `adjust_lr_fn="match_rms_adamw"`), and its forms with
// each other.
import { openDevice } from '@bowyer/graph';
import { createOptimizer } from './create-optimizer.js';
import type { MuonOptions } from './muon.js';
import type { Optimizer } from './optimizer.js';
import { readStateDict } from '../weights/state-dict.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const options: MuonOptions = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, momentum: 0.95, nesterov: true };

/**
 * Makes a matrix whose element (i, j) is sin(1 + 3 i + 7 j + phase). Phase 0 is for the start weights, phase t for the gradient of
 * step t.
 */
const matrix = (shape: readonly number[], phase: number) => {
  const columns = shape.at(-1)!;
  const at = (k: number) => Math.sin(1 + 3 * Math.floor(k / columns) + 7 * (k % columns) + phase);
  return Float32Array.from({ length: shape.reduce((product, dim) => product * dim, 1) }, (_, k) => at(k));
};

const create = async (shapes: Record<string, number[]>, matrices: string[], changes: Partial<MuonOptions> = {}) => {
  const start = Object.entries(shapes).map(([name, shape]) => [name, { shape, data: matrix(shape, 0) }]);
  const parameters = await device.createState(Object.fromEntries(start));
  return createOptimizer(device, parameters, { kind: 'muon', ...options, ...changes }, matrices);
};
const take = async (optimizer: Optimizer, step: number, maxGradNorm = Infinity) => {
  const gradients = [...optimizer.gradients.tensors].map(([name, { shape }]) => [name, { data: matrix(shape, step) }]);
  await device.write(optimizer.gradients, Object.fromEntries(gradients));
  return optimizer.step({ lr: 0.1, maxGradNorm });
};
const valuesOf = async (optimizer: Optimizer, name = 'w') => [
  ...(await readStateDict(device, optimizer.parameters))[name].data,
];

describe.each(['host', 'graph'] as const)('as a function or as a graph: %s', (run) => {
  test.each([
    [[2, 3], true, [0.84945824, 1.02375436, 0.69416319, -0.69885198, -0.97211173, -0.76690247]],
    [[2, 3], false, [0.83802923, 1.0227852, 0.70413091, -0.6950553, -0.96219885, -0.75575247]],
    [[3, 2], true, [0.82642639, 1.03983851, -0.72731263, -1.01050178, 0.6136417, 0.96093985]],
    [[3, 2], false, [0.80822216, 1.05124287, -0.71950241, -1.00553061, 0.61638181, 0.93969266]],
    [[2, 2], true, [0.83649682, 1.03275757, -0.70837542, -0.98024988]],
  ])('a matrix %j, nesterov %s: three steps as torch.optim.Muon', async (shape, nesterov, torch) => {
    const optimizer = await create({ w: shape }, ['w'], { nesterov, run });
    for (const step of [1, 2, 3]) await take(optimizer, step);
    (await valuesOf(optimizer)).forEach((value, i) => expect(value).toBeCloseTo(torch[i], 5));
  });

  test('a parameter that is not a matrix of a linear layer takes the step of AdamW, clipped by the norm of all gradients', async () => {
    const optimizer = await create({ w: [3, 2], table: [4, 2], bias: [5] }, ['w', 'bias'], { run });
    const { gradientNorm } = await take(optimizer, 1, 0.5);
    const parts = [[3, 2], [4, 2], [5]].map((shape) => matrix(shape, 1));
    expect(gradientNorm).toBeCloseTo(Math.hypot(...parts.flatMap((part) => [...part])), 4);
    // AdamW of the table alone, clipped by a norm that includes the others.
    const others = Math.hypot(...parts[0], ...parts[2]);
    const table = await device.createState({ table: { shape: [4, 2], data: matrix([4, 2], 0) } });
    const adamW = await createOptimizer(device, table, { ...options, kind: 'adamw' });
    await device.write(adamW.gradients, { table: { data: parts[1] } });
    await adamW.step({ lr: 0.1, maxGradNorm: 0.5, othersNorm: others });
    const expected = await valuesOf(adamW, 'table');
    (await valuesOf(optimizer, 'table')).forEach((value, i) => expect(value).toBeCloseTo(expected[i], 5));
    expect(Math.abs((await valuesOf(optimizer, 'bias'))[0] - Math.sin(1) * 0.999)).toBeCloseTo(0.1, 5); // a first step is ± lr
  });
});

test('a step moves the root mean square of a wide matrix by about 0.2 lr, as AdamW does', async () => {
  const shape = [64, 256];
  const optimizer = await create({ w: shape }, ['w'], { weightDecay: 0 });
  // This gradient has full rank; that of sin(1 + 3 i + 7 j) has rank 2.
  let state = 1;
  const noise = Float32Array.from({ length: 64 * 256 }, () => (state = (state * 16807) % 2147483647) / 2 ** 30 - 1);
  await device.write(optimizer.gradients, { w: { data: noise } });
  await optimizer.step({ lr: 0.1, maxGradNorm: 1 });
  const start = matrix(shape, 0);
  const change = (await valuesOf(optimizer)).map((value, i) => value - start[i]);
  const rootMeanSquare = Math.sqrt(change.reduce((sum, x) => sum + x * x, 0) / change.length);
  expect(rootMeanSquare / 0.1).toBeGreaterThan(0.14); // singular values of 0.7 to 1.2 instead of 1
  expect(rootMeanSquare / 0.1).toBeLessThan(0.24);
});
