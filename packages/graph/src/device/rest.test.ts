// Tests `device.rest`, which closes sessions between phases of training; their next run opens them with equal numbers.
import { GraphBuilder } from '../builder.js';
import { openDevice } from './device.js';

/** A number of elements so large that the tensor is placed in a WebAssembly memory. */
const LARGE = 1 << 15;

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Binds a program that adds the sums of a product's rows to a state. */
async function boundProgram() {
  const g = new GraphBuilder('square');
  const x = g.input('x', 'float32', [1024, 'columns']);
  const y = g.fusedMatMul(x, x, { transB: true });
  g.output('sum', g.reduceSum(y));
  g.output('rows', g.reduceSum(y, { axes: [1] }));
  const program = await device.compile(g);
  const state = await device.createZeros({ rows: [1024] });
  const bound = await program.bind({ store: { rows: [state, 'rows'] }, mode: 'add' });
  const data = Float32Array.from({ length: 2048 }, (_, i) => (i % 7) - 3);
  const run = async () => (await bound.run({ inputs: { x: { dims: [1024, 2], data } } })).sum.data[0];
  return { run, rows: async () => (await device.read(state)).rows.data };
}

test('a binding gives the same numbers after a rest, and sums continue', async () => {
  const { run, rows } = await boundProgram();
  const sum = await run();
  const once = [...(await rows())].map(Number);
  await device.rest();
  await device.rest();
  expect(await run()).toBe(sum);
  expect([...(await rows())]).toEqual(once.map((x) => 2 * x));
});

test('a session with constants is not closed, since their state may have changed', async () => {
  const g = new GraphBuilder('scaled');
  g.output('y', g.mul(g.input('x', 'float32', [2]), g.input('w', 'float32', [2])));
  const state = await device.createState({ w: { shape: [2], data: Float32Array.of(3, 4) } });
  const bound = await (await device.compile(g)).bind({ constants: { w: [state, 'w'] } });
  await device.write(state, { w: { data: Float32Array.of(0, 0) } });
  await device.rest();
  const { y } = await bound.run({ inputs: { x: { dims: [2], data: Float32Array.of(1, 1) } } });
  expect([...y.data]).toEqual([3, 4]);
});

test('a state of zeros is freed, and bindings add to it again; a state with other numbers keeps them', async () => {
  const g = new GraphBuilder('sum');
  g.output('sum', g.mul(g.input('x', 'float32', [LARGE]), 2));
  const program = await device.compile(g);
  const state = await device.createZeros({ sum: [LARGE] });
  const bound = await program.bind({ store: { sum: [state, 'sum'] }, mode: 'add' });
  const x = { dims: [LARGE], data: new Float32Array(LARGE).fill(3) };
  await bound.run({ inputs: { x } });
  await device.rest([state]);
  await bound.run({ inputs: { x } });
  expect((await device.read(state)).sum.data[LARGE - 1]).toBe(12);

  await device.write(state, { sum: { data: new Float32Array(LARGE) } });
  await device.rest([state]);
  const other = await device.createZeros({ other: [LARGE] }); // takes the memory
  await device.write(other, { other: { data: new Float32Array(LARGE).fill(5) } });
  await bound.run({ inputs: { x } });
  expect((await device.read(state)).sum.data[LARGE - 1]).toBe(6);
  expect((await device.read(other)).other.data[0]).toBe(5);
  await device.release(state);
  await device.rest([other]);
  await device.release(other);
});
