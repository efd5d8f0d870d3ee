import { checkGradients, GraphBuilder, openDevice } from '@bowyer/graph';
import { shortConvolution } from './short-convolution.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const [CHANNELS, WIDTH] = [2, 3];
const numbers = (length: number, phase: number) =>
  Float32Array.from({ length }, (_, i) => Math.sin(2.7 * i + phase) + 0.01 * i);
const weight = numbers(CHANNELS * WIDTH, 0.4);
const bias = numbers(CHANNELS, 1.3);

/** Computes y of one channel from its whole history. */
const plain = (history: number[], channel: number) =>
  history.map((_, t) =>
    Array.from({ length: WIDTH }, (_, j) => weight[channel * WIDTH + j] * (history[t - WIDTH + 1 + j] ?? 0)).reduce(
      (a, b) => a + b,
      bias[channel],
    ),
  );

test('a sequence in two parts of unequal real length, with the state between, is the sequence at once', async () => {
  const g = new GraphBuilder('convolution');
  const x = g.input('x', 'float32', ['batch', 'tokens', CHANNELS]);
  const state = g.input('state', 'float32', ['batch', WIDTH - 1, CHANNELS]);
  const counts = g.input('counts', 'int64', ['batch']);
  const result = shortConvolution(g, x, {
    weight: g.constant(weight, [CHANNELS, 1, WIDTH]),
    bias: g.constant(bias, [CHANNELS]),
    state,
    counts,
  });
  g.output('y', result.output);
  g.output('next', result.state);
  const program = await device.compile(g);
  const histories = [numbers(6 * CHANNELS, 0.1), numbers(6 * CHANNELS, 2)];
  const run = (from: number[], to: number[], width: number, before: Float32Array) => {
    const data = new Float32Array(2 * width * CHANNELS).fill(99); // this padding must have no effect
    histories.forEach((history, row) =>
      data.set(history.subarray(from[row] * CHANNELS, to[row] * CHANNELS), row * width * CHANNELS),
    );
    return program.run({
      inputs: {
        x: { dims: [2, width, CHANNELS], data },
        state: { dims: [2, WIDTH - 1, CHANNELS], data: before },
        counts: { dims: [2], data: BigInt64Array.from(to, (end, row) => BigInt(end - from[row])) },
      },
    });
  };
  // Row 1 has no real token in the first part, and in the second one token less than the window.
  const first = await run([0, 0], [4, 0], 4, new Float32Array(2 * (WIDTH - 1) * CHANNELS));
  const second = await run([4, 0], [5, 1], 1, first.next.data as Float32Array);
  const third = await run([5, 1], [6, 6], 5, second.next.data as Float32Array);
  histories.forEach((history, row) => {
    for (let channel = 0; channel < CHANNELS; channel++) {
      const own = Array.from({ length: 6 }, (_, t) => history[t * CHANNELS + channel]);
      const y = (outputs: typeof third, width: number, t: number) =>
        outputs.y.data[(row * width + t) * CHANNELS + channel];
      const expected = plain(own, channel);
      expect(y(third, 5, row === 0 ? 0 : 4)).toBeCloseTo(expected[5], 5);
      if (row === 0) expect(y(first, 4, 3)).toBeCloseTo(expected[3], 5);
      expect(y(second, 1, 0)).toBeCloseTo(expected[row === 0 ? 4 : 0], 5);
    }
  });
  await program.release();
});

test('its gradient agrees with central differences', async () => {
  const tensor = (dims: number[], phase: number) => ({
    shape: dims,
    dims,
    data: numbers(
      dims.reduce((a, b) => a * b),
      phase,
    ),
  });
  const comparisons = await checkGradients(
    device,
    {
      inputs: {
        x: { ...tensor([2, 4, CHANNELS], 0.2), shape: ['batch', 'tokens', CHANNELS] },
        weight: tensor([CHANNELS, 1, WIDTH], 0.4),
        bias: tensor([CHANNELS], 1.3),
      },
      build: (g, { x, weight, bias }) => shortConvolution(g, x, { weight, bias }).output,
    },
    { step: 1e-2 },
  );
  for (const { error } of comparisons) expect(error).toBeLessThan(1e-3);
});
