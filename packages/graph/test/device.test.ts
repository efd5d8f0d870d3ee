// Tests a device through its public interface: states, stores, views, kernels and errors, with arrays on the host and on the GPU.
import { describeOnDevices, when } from '@bowyer/testing';
import { defineOp, gradients, GraphBuilder, openDevice, webgpuAvailable, type Device } from '../src/index.js';
import { descendGraph } from './kernels/decay-kernel.js';

const module = new URL('./kernels/decay-kernel.js', import.meta.url);
const gpu = await webgpuAvailable();

/** Builds y = 2x and total = Σ y, for x of any length. */
function doubling(): GraphBuilder {
  const g = new GraphBuilder('doubling');
  const y = g.mul(g.input('x', 'float32', ['n']), 2);
  g.output('y', y);
  g.output('total', g.reduceSum(y));
  return g;
}

describeOnDevices(gpu, (residency) => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ device: residency, threads: 1 });
  });
  afterAll(() => device.close());

  const values = async (state: Parameters<Device['read']>[0], name: string) =>
    [...(await device.read(state))[name]!.data].map(Number);

  test('state is read back as it was given or written, and its array is handed over', async () => {
    const data = Float32Array.of(1, 2, 3);
    const state = await device.createState({ a: { shape: [3], data } });
    expect(data.length).toBe(0);
    expect(await values(state, 'a')).toEqual([1, 2, 3]);
    await device.write(state, await device.read(state));
    await device.write(state, { a: { data: Float32Array.of(4, 5, 6) } });
    expect(await values(state, 'a')).toEqual([4, 5, 6]);
    await device.write(state, { a: { data: Float32Array.of(8), offset: 1 } });
    expect(await values(state, 'a')).toEqual([4, 8, 6]);
    await expect(device.write(state, { a: { data: Float32Array.of(8, 9), offset: 2 } })).rejects.toThrow(
      "write: 'a' is float32 [3] with 3 elements; the new data is Float32Array of 2, from element 2 on",
    );
  });

  test('two devices of one process compute at the same time', async () => {
    const other = await openDevice({ device: residency, threads: 1 });
    const totals = [device, other].map(async (each, i) => {
      const x = await each.createState({ x: { shape: [2], data: Float32Array.of(1, 10 + i) } });
      const bound = await (await each.compile(doubling())).bind({ state: { x: [x, 'x'] as const } });
      return Promise.all(Array.from({ length: 20 }, async () => (await bound.run()).total!.data[0]));
    });
    expect(await Promise.all(totals)).toEqual([Array(20).fill(22), Array(20).fill(24)]);
    await other.close();
  });

  test('a stored output overwrites its state, or is added to it', async () => {
    const x = await device.createState({ x: { shape: [2], data: Float32Array.of(1, 10) } });
    const y = await device.createZeros({ y: [2] });
    const program = await device.compile(doubling());
    const wiring = { state: { x: [x, 'x'] as const }, store: { y: [y, 'y'] as const } };
    const written = await program.bind(wiring);
    const added = await program.bind({ ...wiring, mode: 'add' });
    expect((await written.run()).total!.data[0]).toBe(22);
    await written.run();
    expect(await values(y, 'y')).toEqual([2, 20]);
    await added.run();
    expect((await added.run()).total!.data[0]).toBe(22);
    expect(await values(y, 'y')).toEqual([6, 60]);
  });

  test.each([3, 2 ** 21])(
    'rows scattered into %i zeros are added to their sum, whose other rows stay',
    async (rows) => {
      const g = new GraphBuilder('rows');
      const table = g.input('table', 'float32', [rows, 2]);
      const taken = ['one', 'two'].map((name) => g.gather(table, g.input(name, 'int32', [name])));
      const loss = g.add(g.reduceSum(taken[0]!), g.reduceSum(g.mul(taken[1]!, 10)));
      g.output('table', gradients(g, loss, [table])[0]!);
      const program = await device.compile(g);
      const [read, sum] = [
        await device.createZeros({ table: [rows, 2] }),
        await device.createZeros({ table: [rows, 2] }),
      ];
      await device.write(sum, { table: { data: Float32Array.of(1, 2, 3, 4, 5, 6), offset: 0 } });
      const wiring = { state: { table: [read, 'table'] as const }, store: { table: [sum, 'table'] as const } };
      const bound = await program.bind({ ...wiring, mode: 'add' });
      const ids = (...data: number[]) => ({ dims: [data.length], data: Int32Array.from(data) });
      for (let i = 0; i < 2; i++) await bound.run({ inputs: { one: ids(0, 0, 2), two: ids(0) } });
      const { data } = (await device.read(sum)).table!;
      expect([...data.subarray(0, 6)].map(Number)).toEqual([25, 26, 3, 4, 7, 8]);
      expect((data as Float32Array).subarray(6).every((x) => x === 0)).toBe(true);
    },
  );

  test('a state may be read and overwritten by one run', async () => {
    const x = await device.createState({ x: { shape: [2], data: Float32Array.of(1, 10) } });
    const bound = await (await device.compile(doubling())).bind({ state: { x: [x, 'x'] }, store: { y: [x, 'x'] } });
    for (let i = 0; i < 3; i++) await bound.run();
    expect(await values(x, 'x')).toEqual([8, 80]);
  });

  test('a view feeds the first elements of a state under other dimensions', async () => {
    const x = await device.createState({ x: { shape: [2, 3], data: Float32Array.of(1, 2, 3, 4, 5, 6) } });
    const program = await device.compile(doubling());
    const { y } = await program.run({ views: { x: [x, 'x', [4]] } });
    expect([...y!.data].map(Number)).toEqual([2, 4, 6, 8]);
  });

  test('a kernel and its graph make the same update and report the same result', async () => {
    for (const run of ['host', 'graph'] as const) {
      const p = await device.createState({ a: { shape: [2], data: Float32Array.of(1, 2) } });
      const g = await device.createState({ a: { shape: [2], data: Float32Array.of(4, 8) } });
      const kernel = await device.loadKernel<{ rate: number }, { total: number }>({
        module,
        name: 'descend',
        graph: descendGraph,
        run,
      });
      // 1 − 0.25·4 = 0 and 2 − 0.25·8 = 0, then −1 and −2
      expect(await kernel.call({ states: { p, g }, args: { rate: 0.25 } })).toEqual({ total: 0 });
      expect(await kernel.call({ states: { p, g }, args: { rate: 0.25 } })).toEqual({ total: -3 });
      expect(await values(p, 'a')).toEqual([-1, -2]);
    }
  });

  test('a kernel runs a program on views of its own states', async () => {
    const g = new GraphBuilder('prefix_sum');
    g.output('sum', g.reduceSum(g.input('known', 'float32', ['n'])));
    const step = await (await device.compile(g)).bind({});
    const cache = await device.createZeros({ k: [8] });
    const kernel = await device.loadKernel<{ steps: number }, number[]>({ module, name: 'countUp' });
    expect(await kernel.call({ states: { cache }, programs: { step }, args: { steps: 4 } })).toEqual([1, 3, 6, 10]);
  });

  test('calls that are not awaited one by one run in order', async () => {
    const program = await device.compile(doubling());
    const outputs = await Promise.all(
      [1, 2, 3].map((x) => program.run({ inputs: { x: { dims: [1], data: [x] } }, fetch: ['total'] })),
    );
    expect(outputs.map(({ total }) => total!.data[0])).toEqual([2, 4, 6]);
  });
});

/** Builds a graph that replaces one element of a cache and sums the new cache. */
function writing(): GraphBuilder {
  const g = new GraphBuilder('writing');
  const scatter = defineOp('ScatterND', { infer: ({ inputs: [x] }) => [{ dtype: x!.dtype, shape: x!.shape }] });
  const inputs = [g.input('cache', 'float32', ['n']), g.input('at', 'int64', [1, 1]), g.input('value', 'float32', [1])];
  const [written] = g.apply(scatter, inputs);
  g.output('written', written!);
  g.output('sum', g.reduceSum(written!));
  return g;
}

when(gpu, 'no WebGPU adapter').test(
  'on a GPU a resident kernel has its programs write into a state in place',
  async () => {
    const device = await openDevice({ device: 'webgpu' });
    try {
      const cache = await device.createState({ k: { shape: [6], data: Float32Array.of(0, 0, 0, 0, 50, 60) } });
      const step = await (await device.compile(writing())).bind({ inPlace: { written: 'cache' } });
      const kernel = await device.loadKernel<{ steps: number }, number[]>({ module, name: 'writeUp', resident: true });
      // The kernel sees none of the elements at first; then it reports sums over the view of the first four.
      expect(await kernel.call({ states: { cache }, programs: { step }, args: { steps: 3 } })).toEqual([0, 1, 3, 6]);
      expect([...(await device.read(cache)).k!.data]).toEqual([1, 2, 3, 0, 50, 60]);
    } finally {
      await device.close();
    }
  },
);

when(gpu, 'no WebGPU adapter').test(
  'on a GPU sums are written where a state is zero, and added where it is not, in the order of the calls',
  async () => {
    const device = await openDevice({ device: 'webgpu' });
    try {
      const x = await device.createState({ x: { shape: [2], data: Float32Array.of(1, 10) } });
      const y = await device.createZeros({ y: [2] });
      const program = await device.compile(doubling());
      const added = await program.bind({ state: { x: [x, 'x'] }, store: { y: [y, 'y'] }, mode: 'add' });
      await Promise.all([added.run(), added.run(), added.run()]);
      expect([...(await device.read(y)).y!.data]).toEqual([6, 60]);
      y.becomesZero(); // what is in memory does not count then
      await added.run();
      expect([...(await device.read(y)).y!.data]).toEqual([2, 20]);
      await device.write(y, { y: { data: Float32Array.of(5, 5) } });
      await added.run();
      expect([...(await device.read(y)).y!.data]).toEqual([7, 25]);
    } finally {
      await device.close();
    }
  },
);

when(gpu, 'no WebGPU adapter').test(
  'on a GPU a kernel as a graph overwrites what no later node reads, and exchanges the other buffers',
  async () => {
    const device = await openDevice({ device: 'webgpu' });
    try {
      const tensor = (...data: number[]) => ({ shape: [data.length], data: Float32Array.from(data) });
      const x = await device.createState({ a: tensor(1, 2), b: tensor(10, 20) });
      const total = await device.createState({ c: tensor(0) });
      const kernel = await device.loadKernel({
        module,
        name: 'counted',
        // The sum reads a beside the split, so only b can be overwritten.
        graph: (g, { states }) => {
          const { a, b } = states.x!;
          const [newA, newB] = g.split(g.add(g.concat([a!, b!], 0), 1), 0, [2, 2]);
          const c = g.add(states.total!.c!, g.reduceSum(a!, { keepdims: true }));
          return { states: { x: { a: newA!, b: newB! }, total: { c } } };
        },
      });
      for (let i = 0; i < 3; i++) await kernel.call({ states: { x, total }, args: {} });
      const { a, b } = await device.read(x);
      expect([a, b, (await device.read(total)).c].map((copy) => [...copy!.data])).toEqual([[4, 5], [13, 23], [15]]);
    } finally {
      await device.close();
    }
  },
);

describe('errors', () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ device: 'cpu', threads: 1 });
  });
  afterAll(() => device.close());

  test('wrong feeds are named, with what was expected and found', async () => {
    const program = await device.compile(doubling());
    const wrong = { x: { dims: [1, 2], data: Float32Array.of(1, 2) }, z: { dims: [1], data: Float32Array.of(1) } };
    await expect(program.run({ inputs: wrong })).rejects.toThrow(
      [
        "program 'doubling' cannot run:",
        "  input 'x': expected float32 [n], found float32 [1, 2]",
        "  no input is called 'z'; expected x",
      ].join('\n'),
    );
    await expect(program.run({})).rejects.toThrow(
      "input 'x' is missing: expected float32 [n] in inputs, state or views",
    );
    await expect(program.run({ inputs: { x: { dims: [2], data: Int32Array.of(1, 2) } } })).rejects.toThrow(
      "input 'x': Int32Array given, float32 needs Float32Array",
    );
  });

  test('what needs state on a GPU is refused where state is on the host', async () => {
    const program = await device.compile(writing());
    await expect(program.bind({ inPlace: { written: 'at' } })).rejects.toThrow(
      [
        "program 'writing' cannot run:",
        "  output 'written' is float32 [n], input 'at' is int64 [1, 1]",
        "  an output can take the place of an input only on a GPU; name a state in 'store' here",
      ].join('\n'),
    );
    await expect(device.loadKernel({ module, name: 'writeUp', resident: true })).rejects.toThrow(
      "loadKernel: 'writeUp' is for states on a GPU; device 'cpu' has them in its worker's arrays",
    );
  });

  test('one symbol has one size', async () => {
    const g = new GraphBuilder('pair');
    g.output('y', g.add(g.input('a', 'float32', ['n']), g.input('b', 'float32', ['n'])));
    const program = await device.compile(g);
    const run = program.run({ inputs: { a: { dims: [1], data: [1] }, b: { dims: [2], data: [1, 2] } } });
    await expect(run).rejects.toThrow("input 'b': expected float32 [n], found float32 [2]; 'n' is 1 in input 'a'");
  });

  test('a failing kernel rejects with its own message, and the device continues to work', async () => {
    const kernel = await device.loadKernel({ module, name: 'fail' });
    await expect(kernel.call({ states: {}, args: {} })).rejects.toThrow('this kernel always fails');
    await expect(device.createZeros({ a: [1] })).resolves.toBeDefined();
    await expect(device.loadKernel({ module, name: 'absent' })).rejects.toThrow("exports no function 'absent'");
  });

  test('after the death of a worker all calls are rejected, those in progress included', async () => {
    const doomed = await openDevice({ device: 'cpu', threads: 1 });
    const kernel = await doomed.loadKernel({ module, name: 'endWorker' });
    const calls = [kernel.call({ states: {}, args: {} }), doomed.createZeros({ a: [1] })];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
      "DeviceError: the device cannot finish 'callKernel': its worker ended with exit code 3",
      "DeviceError: the device cannot finish 'createState': its worker ended with exit code 3",
    ]);
    await expect(doomed.createZeros({ a: [1] })).rejects.toThrow(
      "the device cannot answer 'createState': its worker ended with exit code 3",
    );
    await doomed.close();
  });

  test('a closed device refuses further calls, and closing it again does nothing', async () => {
    const closed = await openDevice({ device: 'cpu', threads: 1 });
    await closed.close();
    await closed.close();
    await expect(closed.createZeros({ a: [1] })).rejects.toThrow('it was closed');
  });
});
