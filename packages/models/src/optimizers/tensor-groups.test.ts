import { Rng } from '@bowyer/core';
import { GraphBuilder, openDevice, webgpuAvailable, webgpuForm, type Device, type Value } from '@bowyer/graph';
import { describeOnDevices } from '@bowyer/testing';
import { adamGraph } from './adam-graph.js';
import { createOptimizer, type OptimizerOptions } from './create-optimizer.js';
import { joined, tensorGroups, updatedInGroups } from './tensor-groups.js';
import { readStateDict } from '../weights/state-dict.js';

const inputs = (g: GraphBuilder, role: string, shapes: Record<string, readonly number[]>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, g.input(`${role}/${name}`, 'float32', shape)]),
  );

test('a group has tensors that differ in their first dimension only, up to its size', () => {
  const g = new GraphBuilder('groups');
  const shapes = {
    table: [100, 4],
    bias: [8],
    a: [8, 4],
    b: [2, 4],
    temperature: [],
    c: [8, 4],
    cube: [4, 2, 2],
    vector: [3],
    other: [8, 2],
    offset: [],
  };
  // 200 bytes are 50 numbers. The table is larger, and `a` and `b` have 40 together, so `c` begins the next group.
  expect(tensorGroups(inputs(g, 'p', shapes), 200)).toEqual([
    ['table'],
    ['bias', 'vector'],
    ['a', 'b'],
    ['temperature'],
    ['c'],
    ['cube'],
    ['other'],
    ['offset'],
  ]);
});

test('a joined tensor of gradients serves the norm and the update', () => {
  const g = new GraphBuilder('joined');
  const tensors = inputs(g, 'g', { a: [2, 3], b: [1, 3] });
  const whole = joined(g, tensors, ['a', 'b']);
  updatedInGroups(g, { g: tensors }, (old) => {
    expect(old.g).toBe(whole);
    return { g: g.neg(old.g) };
  });
});

test('each tensor gets its own part of the update, those of several groups and those that are alone', async () => {
  const g = new GraphBuilder('parts');
  const shapes = { a: [2, 3], large: [20, 3], b: [1, 3], c: [4, 3], bias: [5], scale: [] };
  const tensors = inputs(g, 'x', shapes);
  const others = inputs(g, 'y', shapes);
  const { sum } = updatedInGroups(g, { x: tensors, y: others }, ({ x, y }) => ({ sum: g.add(x, y) }), 80);
  for (const [name, value] of Object.entries(sum)) g.output(name, value);
  expect(g.nodes.filter(({ op }) => op.opType === 'Add')).toHaveLength(5); // a and b are a group, all others are alone
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const numbers = (shape: readonly number[], start: number) => {
      const length = shape.reduce((product, dim) => product * dim, 1);
      return { dims: shape, data: Float32Array.from({ length }, (_, i) => start + i) };
    };
    const feeds = Object.entries(shapes).flatMap(([name, shape], i) => [
      [`x/${name}`, numbers(shape, 100 * i)] as const,
      [`y/${name}`, numbers(shape, 1)] as const,
    ]);
    const outputs = await (await device.compile(g)).run({ inputs: Object.fromEntries(feeds) });
    Object.entries(shapes).forEach(([name, shape], i) => {
      expect(outputs[name].dims).toEqual(shape);
      const { length } = outputs[name].data;
      expect([...outputs[name].data]).toEqual(Array.from({ length }, (_, j) => 100 * i + 1 + 2 * j));
    });
  } finally {
    await device.close();
  }
});

const gpt2 = { layers: 12, width: 768, vocabulary: 50_257, positions: 1024 };

test('AdamW of GPT-2 124M is a few hundred nodes on WebGPU', () => {
  const { layers, width, vocabulary, positions } = gpt2;
  const shapes: Record<string, number[]> = { wte: [vocabulary, width], wpe: [positions, width] };
  for (let layer = 0; layer < layers; layer++)
    for (const [name, shape] of Object.entries({
      'ln_1.weight': [width],
      'ln_1.bias': [width],
      'ln_2.weight': [width],
      'ln_2.bias': [width],
      'attn.c_attn.weight': [3 * width, width],
      'attn.c_attn.bias': [3 * width],
      'attn.c_proj.weight': [width, width],
      'attn.c_proj.bias': [width],
      'mlp.c_fc.weight': [4 * width, width],
      'mlp.c_fc.bias': [4 * width],
      'mlp.c_proj.weight': [width, 4 * width],
      'mlp.c_proj.bias': [width],
    }))
      shapes[`h.${layer}.${name}`] = shape;
  for (const name of ['weight', 'bias']) shapes[`ln_f.${name}`] = [width];
  const g = new GraphBuilder('adamw');
  const states = Object.fromEntries(['p', 'g', 'm', 'v'].map((role) => [role, inputs(g, role, shapes)]));
  const names = ['maxGradNorm', 'gradientScale', 'othersNorm', 'beta1', 'beta2', 'oneMinusBeta1', 'oneMinusBeta2'];
  const scalars = [...names, 'stepSize', 'secondMomentScale', 'eps', 'l2', 'keep'];
  const args = Object.fromEntries(scalars.map((name) => [name, g.input(name, 'float32', [])]));
  const updated = adamGraph(g, { states, args, constants: { decoupled: true } });
  for (const [role, tensors] of Object.entries(updated.states))
    for (const [name, value] of Object.entries(tensors)) g.output(`${role}/${name}`, value);
  expect(Object.keys(updated.states.p)).toHaveLength(Object.keys(shapes).length);
  expect(webgpuForm(g).nodes.length).toBeLessThan(350);
});

const adam = { betas: [0.9, 0.999], eps: 1e-4, weightDecay: 0.1 } as const;
const optimizers: Record<string, OptimizerOptions> = {
  Adam: { kind: 'adam', ...adam },
  AdamW: { kind: 'adamw', ...adam },
  'SGD without momentum': { kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0.1 },
  'SGD with momentum': { kind: 'sgd', momentum: 0.9, nesterov: true, weightDecay: 0.1 },
};

const gpu = await webgpuAvailable();

/** 40 small tensors of four forms, and one that is longer than a chunk of 8,192. */
const shapes: Record<string, number[]> = { table: [1400, 6] };
for (let layer = 0; layer < 10; layer++)
  for (const [name, shape] of Object.entries({ bias: [5 + layer], weight: [3 + layer, 6], cube: [2, 3, 4], one: [] }))
    shapes[`${layer}.${name}`] = shape;

describeOnDevices(gpu, (kind) => {
  let device: Device;
  let host: Device;
  beforeAll(async () => {
    device = await openDevice({ device: kind, threads: 1 });
    host = await openDevice({ device: 'cpu', threads: 1 });
  });
  afterAll(async () => {
    await device.close();
    await host.close();
  });

  /** Makes three steps, the second of which has a gradient that is not finite. */
  async function steps(on: Device, options: OptimizerOptions) {
    const rng = new Rng(3);
    const draw = (scale: number) =>
      Object.fromEntries(
        Object.entries(shapes).map(([name, shape]) => {
          const length = shape.reduce((product, dim) => product * dim, 1);
          return [name, { shape, data: Float32Array.from({ length }, () => scale * rng.normal()) }];
        }),
      );
    const optimizer = await createOptimizer(on, await on.createState(draw(1)), options);
    const norms: number[] = [];
    for (const bad of [false, true, false]) {
      const gradients = draw(0.01);
      if (bad) gradients['3.weight'].data[2] = Infinity;
      await on.write(optimizer.gradients, gradients);
      norms.push((await optimizer.step({ lr: 0.1, maxGradNorm: 5, gradientScale: 2, othersNorm: 1 })).gradientNorm);
    }
    const [parameters, gradients] = [
      await readStateDict(on, optimizer.parameters),
      await readStateDict(on, optimizer.gradients),
    ];
    const { steps: taken } = optimizer;
    await optimizer.release();
    await on.release(optimizer.parameters);
    return { parameters, gradients, norms, taken };
  }

  test.each(Object.keys(optimizers))(
    '%s as a graph takes the steps of the function in the worker',
    async (name) => {
      const wanted = await steps(host, { ...optimizers[name], run: 'host' } as OptimizerOptions);
      const found = await steps(device, { ...optimizers[name], run: 'graph' } as OptimizerOptions);
      expect(found.taken).toBe(2);
      expect(found.norms[1]).toBe(Infinity);
      for (const i of [0, 2]) expect(found.norms[i] / wanted.norms[i]).toBeCloseTo(1, 5);
      let furthest = 0;
      for (const [tensor, { shape, data }] of Object.entries(wanted.parameters)) {
        expect(found.parameters[tensor].shape).toEqual(shape);
        const own = found.parameters[tensor].data;
        for (let i = 0; i < data.length; i++) furthest = Math.max(furthest, Math.abs(own[i] - data[i]));
        expect(found.gradients[tensor].data.every((x) => x === 0)).toBe(true);
      }
      expect(furthest).toBeLessThan(2e-6);
    },
    120_000,
  );
});
