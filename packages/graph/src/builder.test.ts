import { protobuf } from '@bowyer/core';
import { GraphBuilder } from './builder.js';
import { openDevice } from './device/device.js';
import { NotDifferentiableError } from './errors.js';
import { gradients } from './gradients.js';
import { onnx } from './onnx-messages.js';
import { serialize, serializeModel } from './serialize.js';

const device = await openDevice({ device: 'cpu', threads: 2 });
afterAll(() => device.close());

test('operands that do not fit are reported where the graph is built, with operator, names and shapes', () => {
  const g = new GraphBuilder('net');
  const x = g.input('x', 'float32', ['batch', 3]);
  const w = g.input('w', 'float32', [4, 2]);
  expect(() => g.scope('layer', () => g.matMul(x, w))).toThrow(
    [
      "MatMul in 'net' at 'layer/': the inner dimensions are 3 and 4; they must be equal",
      "  input 0: 'x' float32 [batch, 3]",
      "  input 1: 'w' float32 [4, 2]",
    ].join('\n'),
  );
  expect(() => g.add(x, w)).toThrow('the shapes of the operands do not broadcast');
  expect(() => g.reshape(x, [5, -1])).toThrow('3*batch elements do not divide by 5 to fill [5, -1]');
  expect(() => g.softmax(x, 2)).toThrow('axis 2 is outside rank 2');
  expect(() => g.mul(g.input('i', 'int64', ['batch']), 0.5)).toThrow('cast the tensor to float32 first');
});

test('equal nodes and equal small constants are made once', () => {
  const g = new GraphBuilder('shared');
  const x = g.input('x', 'float32', ['n']);
  expect(g.exp(g.mul(x, 2))).toBe(g.exp(g.mul(x, 2)));
  expect(g.nodes.length).toBe(2);
  expect(g.initializers.length).toBe(1);
});

test('nodes and initializers that no output needs are left out of the model', () => {
  const g = new GraphBuilder('small');
  const x = g.input('x', 'float32', [2]);
  g.output('y', g.exp(x));
  const before = serialize(g).length;
  g.mul(g.initializer('unused', new Float32Array(1000), [500, 2]), x);
  expect(serialize(g).length).toBe(before);
});

test('large initializers are referred to, not copied, and the session reads them', async () => {
  const g = new GraphBuilder('frozen');
  const table = Float32Array.from({ length: 600_000 }, (_, i) => i);
  g.output('row', g.gather(g.initializer('table', table, [300_000, 2]), g.input('i', 'int64', [1])));
  const { bytes, externalData } = serializeModel(g, { externalBytes: 1 << 20 });
  expect(bytes.length).toBeLessThan(1000);
  expect(externalData[0]!.data.buffer).toBe(table.buffer);
  const { row } = await (await device.compile(g)).run({ inputs: { i: { dims: [1], data: [299_999] } } });
  expect([...row!.data]).toEqual([599_998, 599_999]);
});

test('repeated rows are added up completely, and equally at every run', async () => {
  // Two threads together add 1 to one row 4000 times. If ONNX Runtime lost an update, the sum would be smaller.
  const g = new GraphBuilder('scatter');
  const updates = g.input('updates', 'float32', ['n', 1024]);
  g.output('y', g.scatterRowsAdd(g.zeros([2, 1024]), g.input('rows', 'int64', ['n']), updates, 0));
  const program = await device.compile(g);
  const inputs = {
    rows: { dims: [4000], data: new BigInt64Array(4000).fill(1n) },
    updates: { dims: [4000, 1024], data: new Float32Array(4000 * 1024).fill(1) },
  };
  for (let i = 0; i < 3; i++) {
    const { y } = await program.run({ inputs });
    expect(new Set(y!.data.subarray(1024) as Float32Array)).toEqual(new Set([4000]));
  }
});

test('an operator without a rule is named when a gradient must pass it', () => {
  const g = new GraphBuilder('refused');
  const x = g.input('x', 'float32', [3]);
  const y = g.reduceSum(g.mod(x, 2));
  expect(() => gradients(g, y, [x])).toThrow(
    [
      "gradients: Mod 'Mod_1' has no gradient rule, but the loss depends on it",
      "  input 'x' float32 [3]",
      "  input 'constant_1' float32 []",
      '  to treat its result as a constant, wrap it in g.stopGradient(…)',
    ].join('\n'),
  );
});

test('the error of a missing gradient has the reason', () => {
  const g = new GraphBuilder('missing');
  const x = g.input('x', 'float32', [3]);
  const other = g.input('other', 'float32', [3]);
  const y = g.reduceSum(x);
  expect(() => gradients(g, y, [other])).toThrow(
    "gradients: 'ReduceSum_1' float32 [] has no gradient by 'other' float32 [3]: it does not depend on it",
  );
  const flat = g.cast(g.argMax(x, 0), 'float32');
  expect(() => gradients(g, flat, [x])).toThrow(
    "every path passes an operator whose result is flat (ArgMax 'ArgMax_1')",
  );
  expect(() => gradients(g, flat, [x])).toThrow(NotDifferentiableError);
  expect(() => gradients(g, x, [x])).toThrow("is not a scalar; reduce it, or give 'upstream'");
});

test('the model has the shape of every intermediate result, which is what lets ONNX Runtime compute in place', () => {
  const g = new GraphBuilder('shapes');
  const x = g.input('x', 'float32', ['rows', 4]);
  const turned = g.reshape(g.reshape(x, [-1, 2]), x.shape);
  g.output('y', g.exp(turned));
  const { valueInfo } = protobuf.decode(onnx.model, serialize(g)).graph!;
  const shapes = valueInfo!.map(({ name, type }) => [
    name,
    type!.tensorType!.shape!.dim!.map(({ dimParam, dimValue }) => dimParam || Number(dimValue)),
  ]);
  expect(Object.fromEntries(shapes)).toMatchObject({ [turned.name]: ['rows', 4] });
});
