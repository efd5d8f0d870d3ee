// Runs on the CPU, where both forms can run: they must compute the same function.
import { GraphBuilder, openDevice } from './index.js';
import type { Graph } from './graph.js';
import { webgpuForm } from './webgpu-form.js';

/** Every kind of product, and int32 ids that index, are moved, and are calculated with. */
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

const feeds = {
  a: { dims: [2, 2, 3], data: Float32Array.from({ length: 12 }, (_, i) => i - 5) },
  b: { dims: [2, 4, 3], data: Float32Array.from({ length: 24 }, (_, i) => (i % 7) - 2) },
  ids: { dims: [2], data: Int32Array.of(3, 0) },
};

async function results(graph: Graph): Promise<Record<string, number[]>> {
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const outputs = await (await device.compile(graph)).run({ inputs: feeds });
    return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, [...data].map(Number)]));
  } finally {
    await device.close();
  }
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
  expect(form.outputs.get('long')!.node!.inputs[0]!.dtype).toBe('int64'); // a factor beyond int32
  expect(types).not.toContain('ArgMax');
  expect(await results(form)).toEqual(await results(graph)); // small integers: exact in any order
});
