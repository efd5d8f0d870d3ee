// Which of ONNX Runtime's operators have other last digits when their input begins at another address, or with another number of
// threads: each on the same numbers at nine addresses. docs/reliability.md has the result.
//   node --conditions=source --import tsx benchmarks/reduction-addresses.ts
import { GraphBuilder, serialize, type Value } from '@bowyer/graph';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Rng } from '@bowyer/core';

/** A multiple of 16 bytes first, then others. */
const SHIFTS = [0, 16, 32, 48, 4, 8, 12, 20, 60];
const THREADS = [1, 2];
const SHAPES = [
  [1, 5001],
  [37, 129],
  [129, 37],
  [500, 64],
  [3, 4099],
];

type Make = (g: GraphBuilder, x: Value, rows: number, columns: number) => Value;
const filled = (g: GraphBuilder, name: string, shape: number[]) =>
  g.initializer(name, numbers(shape[0] * (shape[1] ?? 1)), shape);
const operators: Record<string, Make> = {
  MatMul: (g, x, _, columns) => g.matMul(x, filled(g, 'w', [columns, 51])),
  'FusedMatMul, transposed': (g, x, rows) => g.fusedMatMul(x, filled(g, 'w', [rows, 51]), { transA: true }),
  'ReduceSum of rows': (g, x) => g.reduceSum(x, { axes: [1] }),
  'ReduceSum of columns': (g, x) => g.reduceSum(x, { axes: [0] }),
  'ReduceSum of all': (g, x) => g.reduceSum(x, { axes: [0, 1] }),
  'ReduceMean of rows': (g, x) => g.reduceMean(x, { axes: [1] }),
  'ReduceMean of columns': (g, x) => g.reduceMean(x, { axes: [0] }),
  Softmax: (g, x) => g.softmax(x),
  LogSoftmax: (g, x) => g.logSoftmax(x),
  LayerNormalization: (g, x, _, columns) =>
    g.layerNormalization(x, filled(g, 'scale', [columns]), undefined, { epsilon: 1e-5 }),
  Gelu: (g, x) => g.gelu(x, 'tanh'),
  Exp: (g, x) => g.exp(x),
};

function numbers(count: number): Float32Array {
  const rng = new Rng(count);
  return Float32Array.from({ length: count }, () => 2 * rng.uniform() - 1);
}

/** The numbers at an address of that many bytes beyond a multiple of 64: V8's buffers begin at multiples of 16. */
function shifted(values: Float32Array, bytes: number): Float32Array {
  const view = new Float32Array(new ArrayBuffer(values.byteLength + 128), bytes, values.length);
  view.set(values);
  return view;
}

async function resultsOf(model: Uint8Array, shape: number[], threads: number): Promise<string[]> {
  const session = await InferenceSession.create(model, { intraOpNumThreads: threads, enableMemPattern: false });
  const results: string[] = [];
  for (const bytes of SHIFTS) {
    const x = new Tensor('float32', shifted(numbers(shape[0] * shape[1]), bytes), shape);
    const [{ data }] = Object.values(await session.run({ x }));
    results.push(Buffer.from(new Uint8Array((data as Float32Array).slice().buffer)).toString('base64'));
  }
  await session.release();
  return results;
}

console.log('| operator | shapes | differ with the address | at multiples of 16 bytes | differ with the threads |');
console.log('|---|---|---|---|---|');
for (const [name, make] of Object.entries(operators)) {
  const counts = { address: 0, aligned: 0, threads: 0 };
  for (const shape of SHAPES) {
    const g = new GraphBuilder(name);
    g.output('y', make(g, g.input('x', 'float32', shape), shape[0], shape[1]));
    const model = serialize(g);
    const [one, two] = [await resultsOf(model, shape, THREADS[0]), await resultsOf(model, shape, THREADS[1])];
    const differ = (results: string[]) => results.some((result) => result !== results[0]);
    counts.address += Number(differ(one) || differ(two));
    counts.aligned += Number(differ(one.slice(0, 4)) || differ(two.slice(0, 4)));
    counts.threads += Number(one[0] !== two[0]);
  }
  console.log(`| ${name} | ${SHAPES.length} | ${counts.address} | ${counts.aligned} | ${counts.threads} |`);
}
