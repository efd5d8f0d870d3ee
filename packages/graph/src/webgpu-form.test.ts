// Tests on the CPU, where a graph and its WebGPU form can both run, that they compute the same function. If there is a GPU, the
// WebGPU form runs on it too.
import { when } from '@bowyer/testing';
import { defineOp, GraphBuilder, openDevice, webgpuAvailable, type Device, type Shape, type Value } from './index.js';
import type { DeviceKind } from './device/protocol.js';
import type { Graph } from './graph.js';
import { webgpuForm } from './webgpu-form.js';

/** Builds a graph with every kind of matrix product, and with int32 ids that are used as indices, moved, and calculated with. */
function example(): GraphBuilder {
  const g = new GraphBuilder('example');
  const [a, b] = [g.input('a', 'float32', [2, 'm', 3]), g.input('b', 'float32', [2, 'n', 3])];
  const scores = g.fusedMatMul(a, b, { transB: true, alpha: 0.5 });
  g.output('scores', scores);
  g.output('mixed', g.fusedMatMul(scores, b, { alpha: 2 }));
  g.output('transposed', g.fusedMatMul(scores, a, { transA: true }));
  const ids = g.cast(g.input('ids', 'int32', ['m']), 'int64');
  const rows = g.gather(g.reshape(a, [-1, 3]), ids);
  g.output('matrices', g.fusedMatMul(rows, rows, { transA: true, alpha: 3 }));
  g.output('summed', g.scatterRowsAdd(g.reshape(b, [-1, 3]), ids, rows, 0));
  g.output('next', g.add(ids, 1));
  g.output('long', g.mul(ids, g.scalar(2 ** 31, 'int64')));
  const places = g.range('m');
  g.output('seen', g.cast(g.lessOrEqual(g.unsqueeze(places, 0), g.unsqueeze(g.sub(places, 1), 1)), 'float32'));
  g.output('largest', g.argMax(rows, 1));
  g.output('nearest', g.argMax(g.reshape(a, [2, -1, 3]), -1, { keepdims: true }));
  return g;
}

type Feeds = Record<string, { dims: number[]; data: Float32Array | Int32Array }>;

const feeds: Feeds = {
  a: { dims: [2, 2, 3], data: Float32Array.from({ length: 12 }, (_, i) => i - 5) },
  b: { dims: [2, 4, 3], data: Float32Array.from({ length: 24 }, (_, i) => (i % 7) - 2) },
  ids: { dims: [2], data: Int32Array.of(3, 0) },
};

const opened = new Map<DeviceKind, Promise<Device>>();
afterAll(async () => {
  for (const device of opened.values()) await (await device).close();
});

/** Computes the outputs of a graph on a device of this kind; all tests share one device of each kind. */
async function results(
  graph: Graph,
  inputs: Feeds = feeds,
  kind: DeviceKind = 'cpu',
): Promise<Record<string, number[]>> {
  if (!opened.has(kind)) opened.set(kind, openDevice({ device: kind, threads: 1 }));
  const program = await (await opened.get(kind)!).compile(graph);
  const outputs = await program.run({ inputs });
  await program.release();
  return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, [...data].map(Number)]));
}

test('the form for WebGPU computes the same without FusedMatMul and with positions and ids in int32', async () => {
  const graph = example();
  const form = webgpuForm(graph);
  const types = form.nodes.map(({ op }) => op.opType);
  expect(types).not.toContain('FusedMatMul');
  const scatter = form.nodes.find(({ op }) => op.opType === 'ScatterElements')!;
  expect(scatter.inputs[1]!.dtype).toBe('int32');
  const operandOf = (opType: string) => form.nodes.find(({ op }) => op.opType === opType)!.inputs[0]!.dtype;
  expect([operandOf('Range'), operandOf('LessOrEqual')]).toEqual(['int32', 'int32']);
  expect(form.outputs.get('next')!.dtype).toBe('int64'); // outputs keep their types
  expect(form.outputs.get('long')!.node!.inputs[0]!.dtype).toBe('int64'); // the factor is too large for int32
  expect(types).not.toContain('ArgMax');
  expect(await results(form)).toEqual(await results(graph)); // small integers are exact in any order
});

const gpuTest = when(await webgpuAvailable(), 'no WebGPU adapter').test;

/** Makes small integers, so that every sum of products is exact in any order. */
const integers = (dims: number[]) => ({
  dims,
  data: Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => ((7 * i) % 11) - 5),
});

interface Product {
  /** The shapes of the product's operands. */
  shapes: Record<string, Shape>;
  sizes?: Record<string, number>;
  build: (g: GraphBuilder, operands: Record<string, Value>) => Value;
  /** The operators of the rewritten form, without those that only copy. */
  computes: string[];
}

const transB = { transB: true } as const;
const products: Record<string, Product> = {
  'many rows by a transposed matrix': {
    shapes: { a: ['m', 256], b: [260, 256] },
    build: (g, { a, b }) => g.gemm(a!, b!, undefined, transB),
    computes: ['MatMul'],
  },
  'the same with a bias row': {
    shapes: { a: ['m', 257], b: [259, 257], c: [259] },
    build: (g, { a, b, c }) => g.gemm(a!, b!, c, transB),
    computes: ['MatMul', 'Add'],
  },
  'the same with a matrix that is added': {
    shapes: { a: ['m', 256], b: [260, 256], c: ['m', 260] },
    build: (g, { a, b, c }) => g.gemm(a!, b!, c, transB),
    computes: ['MatMul', 'Add'],
  },
  'a single row of many': {
    shapes: { a: ['m', 257], b: [259, 257], c: [259] },
    sizes: { m: 1 },
    build: (g, { a, b, c }) => g.gemm(a!, b!, c, transB),
    computes: ['MatMul', 'Add'],
  },
  'one row for each sequence by a transposed matrix': {
    shapes: { a: ['batch', 257], b: [259, 257], c: [259] },
    build: (g, { a, b, c }) => g.gemm(a!, b!, c, transB),
    computes: ['Gemm'],
  },
  'rows that are few in most runs': {
    shapes: { a: ['m', 257], b: [259, 257], c: [259] },
    build: (g, { a, b, c }) => g.gemm(a!, b!, c, { ...transB, fewRows: true }),
    computes: ['Gemm'],
  },
  'few rows': {
    shapes: { a: [5, 257], b: [259, 257] },
    build: (g, { a, b }) => g.fusedMatMul(a!, b!, transB),
    computes: ['Gemm'],
  },
  'a small matrix': {
    shapes: { a: ['m', 33], b: [35, 33], c: [35] },
    build: (g, { a, b, c }) => g.gemm(a!, b!, c, transB),
    computes: ['Gemm'],
  },
  'a scaled product': {
    shapes: { a: ['m', 257], b: [259, 257] },
    build: (g, { a, b }) => g.gemm(a!, b!, undefined, { ...transB, alpha: 2 }),
    computes: ['Gemm'],
  },
  'a vocabulary': {
    shapes: { a: ['m', 64], b: [1025, 64] },
    build: (g, { a, b }) => g.fusedMatMul(a!, b!, transB),
    computes: ['MatMul'],
  },
  'a sum over a vocabulary': {
    shapes: { a: ['m', 101], b: [101, 64] },
    build: (g, { a, b }) => g.matMul(a!, b!),
    computes: ['MatMul'],
  },
  'a sum over rows, for a vocabulary': {
    shapes: { a: ['m', 101], b: ['m', 64] },
    build: (g, { a, b }) => g.fusedMatMul(a!, b!, { transA: true, alpha: 3 }),
    computes: ['Gemm'],
  },
  'batches of short sums by a transposed operand': {
    shapes: { a: ['m', 2, 'n', 65], b: ['m', 2, 'n', 65] },
    build: (g, { a, b }) => g.fusedMatMul(a!, b!, { ...transB, alpha: 2 }),
    computes: ['Mul', 'MatMul'],
  },
  'batches by one matrix': {
    shapes: { a: ['m', 'n', 65], b: [67, 65] },
    build: (g, { a, b }) => g.fusedMatMul(a!, b!, transB),
    computes: ['MatMul'],
  },
  'batches of transposed squares': {
    shapes: { a: ['m', 2, 'n', 'k'], b: ['m', 2, 'n', 8] },
    build: (g, { a, b }) => g.fusedMatMul(a!, b!, { transA: true }),
    computes: ['MatMul'],
  },
};

describe.each(Object.entries(products))('%s', (_, { shapes, sizes, build, computes }) => {
  const g = new GraphBuilder('product');
  const entries = Object.entries(shapes);
  g.output('y', build(g, Object.fromEntries(entries.map(([name, shape]) => [name, g.input(name, 'float32', shape)]))));
  const sizeOf: Record<string, number> = { m: 66, n: 3, k: 5, batch: 2, ...sizes };
  const inputs = Object.fromEntries(
    entries.map(([name, shape]) => [
      name,
      integers(shape.map((dim) => (typeof dim === 'number' ? dim : sizeOf[dim]!))),
    ]),
  );

  test('takes the fast kernel with the same result', async () => {
    const form = webgpuForm(g);
    const kept = form.nodes.filter(({ op }) => ['MatMul', 'Gemm', 'Add', 'Mul'].includes(op.opType));
    expect(kept.map(({ op }) => op.opType)).toEqual(computes);
    const isPadded = (dim: unknown) => typeof dim === 'string' || (dim as number) % 4 === 0;
    for (const { op, inputs: operands } of kept)
      if (op.opType === 'MatMul')
        expect([operands[0]!.dim(-1), operands[1]!.dim(-1)].map(isPadded)).toEqual([true, true]);
    expect(await results(form, inputs)).toEqual(await results(g, inputs));
  });

  gpuTest('has that result on the GPU', async () => {
    expect(await results(g, inputs, 'webgpu')).toEqual(await results(g, inputs));
  });
});

test.each([
  ['rows', [300, 100], 2],
  ['a vector', [2 ** 15], 2],
  ['one number in each row', [2 ** 15, 1], 2],
  ['a vector that no power of two divides', [32_769], 1],
  ['few rows', [100, 100], 1],
] as const)('a sum of %s, %j, is made in stages where it is long: %i', async (_, shape, stages) => {
  const g = new GraphBuilder('sums');
  const x = g.input('x', 'float32', shape);
  g.output('sum', g.reduceSum(x));
  g.output('square', g.reduceSumSquare(x, { keepdims: true }));
  const form = webgpuForm(g);
  expect(form.nodes.filter(({ op }) => op.opType.startsWith('Reduce'))).toHaveLength(2 * stages);
  expect(form.outputs.get('square')!.shape).toEqual(shape.map(() => 1));
  const inputs = { x: integers([...shape]) };
  expect(await results(form, inputs)).toEqual(await results(g, inputs));
});

describe.each([7, 8, 60])('a split into %i pieces', (count) => {
  const g = new GraphBuilder('split');
  const sizes = Array.from({ length: count }, (_, i) => 1 + (i % 3));
  const total = sizes.reduce((a, b) => a + b, 0);
  g.split(g.input('x', 'float32', [2, total]), 1, sizes).forEach((piece, i) => g.output(`piece_${i}`, piece));
  const inputs = { x: integers([2, total]) };

  test('is made of splits for which a shader has enough buffers', async () => {
    const form = webgpuForm(g);
    for (const { op, outputs } of form.nodes) if (op.opType === 'Split') expect(outputs.length).toBeLessThan(8);
    expect(await results(form, inputs)).toEqual(await results(g, inputs));
  });

  gpuTest('has the same pieces on the GPU', async () => {
    expect(await results(g, inputs, 'webgpu')).toEqual(await results(g, inputs));
  });
});

describe('two nodes that one kernel computes', () => {
  const SimplifiedLayerNormalization = defineOp('SimplifiedLayerNormalization', {
    floatAttributes: ['epsilon'],
    infer: ({ inputs: [x] }) => [{ dtype: x!.dtype, shape: x!.shape }],
  });
  const g = new GraphBuilder('fused');
  const x = (name: string, shape: Shape) => g.input(name, 'float32', shape);
  const [scale, bias] = [x('scale', [8]), x('bias', [8])];
  const sum = g.add(x('a', ['n', 8]), x('b', ['n', 8]));
  const normed = g.layerNormalization(sum, scale, bias, { epsilon: 1e-5 });
  const further = g.add(sum, g.silu(normed));
  g.output('further', further);
  g.output('rms', g.apply(SimplifiedLayerNormalization, [further, scale], { epsilon: 1e-5 })[0]!);
  // Nodes that must not be fused: a normalization whose statistics are read, and a sigmoid whose result is read.
  const shifted = g.add(further, normed);
  const [again, mean] = g.layerNormalization(shifted, scale, bias, { epsilon: 1e-5 }).node!.outputs;
  g.output('mean', g.mul(again!, mean!));
  g.output('gate', g.sigmoid(again!));
  g.output('silu', g.silu(again!));
  const inputs = Object.fromEntries(
    [...g.inputs].map(([name, { shape }]) => [name, integers(shape.map((dim) => (dim === 'n' ? 3 : Number(dim))))]),
  );

  test('have one node, unless another node reads what the kernel does not return', () => {
    const types = webgpuForm(g).nodes.map(({ op }) => op.opType);
    const counts = new Map<string, number>();
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
    expect(Object.fromEntries(counts)).toEqual({
      SkipLayerNormalization: 1,
      QuickGelu: 1,
      SkipSimplifiedLayerNormalization: 1,
      LayerNormalization: 1,
      Add: 1,
      Mul: 2,
      Sigmoid: 1,
    });
  });

  gpuTest('have the same results on the GPU', async () => {
    const [gpu, cpu] = [await results(g, inputs, 'webgpu'), await results(g, inputs)];
    for (const [name, numbers] of Object.entries(cpu))
      numbers.forEach((number, i) => expect(gpu[name]![i]).toBeCloseTo(number, 4));
  });
});

describe.each([4, 8] as const)('a product with a weight in %i bits and a bias', (bits) => {
  const [N, K, blockSize] = [16, 64, 32];
  const g = new GraphBuilder('quantized');
  const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (37 * i) % 256);
  const packed = g.constant(bytes((N * K * bits) / 8), [N, K / blockSize, (blockSize * bits) / 8], 'uint8');
  const scales = g.constant(
    Float32Array.from({ length: (N * K) / blockSize }, (_, i) => 2 ** -(i % 3)),
    [N, K / blockSize],
  );
  const product = g.quantizedMatMul(g.input('x', 'float32', ['n', K]), packed, scales, { bits, blockSize });
  g.output('y', g.add(product, g.input('bias', 'float32', [N])));

  test('is one node', () => {
    expect(webgpuForm(g).nodes.map(({ op }) => op.opType)).toEqual(['MatMulNBits']);
  });

  gpuTest.each([1, 16])('has the same result for %i rows on the GPU', async (rows) => {
    const inputs = { x: integers([rows, K]), bias: integers([N]) };
    const [gpu, cpu] = [await results(g, inputs, 'webgpu'), await results(g, inputs)];
    cpu.y!.forEach((number, i) => expect(gpu.y![i]).toBeCloseTo(number, 3));
  });
});
