import { GraphBuilder, gradients, openDevice } from '../src/index.js';

test('a linear regression graph runs forward and backward on the device and accumulates its gradient', async () => {
  const g = new GraphBuilder('regression');
  const x = g.input('x', 'float32', ['rows', 2]);
  const w = g.input('w', 'float32', [2, 1]);
  const loss = g.reduceMean(g.square(g.matMul(x, w)));
  g.output('loss', loss);
  g.output('w', gradients(g, loss, [w])[0]!);
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const parameters = await device.createState({ w: { shape: [2, 1], data: Float32Array.of(1, -1) } });
    const gradient = await device.createZeros({ w: [2, 1] });
    const program = await device.compile(g);
    const bound = await program.bind({ state: { w: [parameters, 'w'] }, store: { w: [gradient, 'w'] }, mode: 'add' });
    const feeds = { inputs: { x: { dims: [2, 2], data: Float32Array.of(1, 2, 3, 5) } } };
    const { loss: value } = await bound.run(feeds);
    // xw = (−1, −2), so the mean square is 2.5 and dw = 2/2 · xᵀ(xw) = (−7, −12)
    expect(value!.data[0]).toBeCloseTo(2.5);
    expect([...(await device.read(gradient)).w!.data]).toEqual([-7, -12]);
    await bound.run(feeds);
    expect([...(await device.read(gradient)).w!.data]).toEqual([-14, -24]);
  } finally {
    await device.close();
  }
});
