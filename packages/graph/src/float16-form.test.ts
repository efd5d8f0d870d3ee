// Tests how each kind of node is rewritten for half precision. The numerical results are tested on GPUs with float16
// (packages/models/src/language-model/float16.test.ts).
import { GraphBuilder, gradients, type Value } from './index.js';
import { float16Form } from './float16-form.js';

/** Builds softmax(x W · W₂ + mask), squares of it, and the gradient of their sum by both weights. */
function example() {
  const g = new GraphBuilder('example');
  const x = g.input('x', 'float32', ['rows', 8]);
  const [w, w2] = [g.input('w', 'float32', [8, 4]), g.input('w2', 'float32', [4, 4])];
  const hidden = g.matMul(x, w);
  const scores = g.matMul(g.relu(hidden), w2);
  const mask = g.where(g.greater(g.range('rows'), 0), g.scalar(0), -1e9);
  const probabilities = g.softmax(g.add(scores, g.unsqueeze(mask, 1)));
  const logits = g.inFloat32(scores);
  g.output('probabilities', probabilities);
  g.output('log', g.log(g.reduceSum(g.square(hidden))));
  g.output('soft', g.softmax(logits));
  gradients(g, g.reduceSum(g.mul(logits, 3)), [w, w2]).forEach((gradient, i) => g.output(`gradient.${i}`, gradient));
  return g;
}

const form = () => float16Form(example());

const made = (graph: ReturnType<typeof form>, opType: string, condition: (inputs: readonly Value[]) => boolean) =>
  graph.nodes.filter((node) => node.op.opType === opType && condition(node.inputs as Value[]));

test('inputs and outputs keep their types', () => {
  const graph = form();
  for (const value of [...graph.inputs.values(), ...graph.outputs.values()]) expect(value.dtype).toBe('float32');
});

test('products and what follows from them are float16; sums, squares and what is marked are float32', () => {
  const graph = form();
  const [hidden] = made(graph, 'MatMul', ([a]) => a.shape[1] === 8);
  expect(hidden.outputs[0]!.dtype).toBe('float16');
  expect(made(graph, 'Relu', () => true)[0]!.outputs[0]!.dtype).toBe('float16');
  const square = made(graph, 'Mul', ([a, b]) => a === b);
  expect(square.map(({ outputs }) => outputs[0]!.dtype)).toEqual(['float32']);
  expect(made(graph, 'ReduceSum', ([a]) => a.dtype === 'float16')).toEqual([]);
  const types = made(graph, 'Softmax', () => true).map(({ outputs }) => outputs[0]!.dtype);
  expect(types).toEqual(['float16', 'float32']); // attention's, and the marked logits'
});

test('a weight becomes float16 once, and the gradient by it, a sum over the rows, is a float32 product', () => {
  const graph = form();
  const casts = made(graph, 'Cast', ([a]) => a.name === 'w2');
  expect(casts).toHaveLength(1);
  for (const index of [0, 1]) {
    const gradient = graph.outputs.get(`gradient.${index}`)!;
    expect(gradient.node!.op.opType).toBe('FusedMatMul');
    expect(gradient.node!.inputs.map((value) => value!.dtype)).toEqual(['float32', 'float32']);
  }
});

test('a mask stays finite: it is made in float16, of a number that it holds', () => {
  const graph = form();
  const [mask] = made(graph, 'Where', (inputs) => inputs[1]!.dtype === 'float16');
  const bits = (mask.inputs[2] as Value).data![0];
  expect(bits).toBe(0xf800); // −2¹⁵
});

test('tensors that are float16 already pass as they are', () => {
  const g = new GraphBuilder('cache');
  const cache = g.input('cache', 'float16', ['rows', 4]);
  const rows = g.matMul(g.input('x', 'float32', ['rows', 4]), g.input('w', 'float32', [4, 4]));
  g.output('fresh', g.cast(rows, 'float16'));
  g.output('scores', g.matMul(rows, g.transpose(g.cast(cache, 'float32'), [1, 0])));
  const graph = float16Form(g);
  expect(graph.outputs.get('fresh')!.dtype).toBe('float16');
  // x and w are converted to float16, the scores back to float32, and nothing else.
  expect(made(graph, 'Cast', () => true)).toHaveLength(3);
});
