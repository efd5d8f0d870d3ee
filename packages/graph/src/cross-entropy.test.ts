import { GraphBuilder } from './builder.js';
import { checkGradients } from './check-gradients.js';
import { logProbabilityOf } from './cross-entropy.js';
import { openDevice, type Device } from './device/device.js';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(() => device.close());

test('logits far beyond the range of exp give finite log-probabilities', async () => {
  const g = new GraphBuilder('large_logits');
  const logits = g.input('logits', 'float32', ['rows', 2]);
  g.output('logprobs', logProbabilityOf(g, logits, g.input('targets', 'int64', ['rows'])));
  const { logprobs } = await (
    await device.compile(g)
  ).run({
    inputs: {
      logits: { dims: [3, 2], data: Float32Array.of(1000, 1000, 1000, 0, -1000, -1001) },
      targets: { dims: [3], data: [1, 1, 0] },
    },
  });
  // ln ½;  0 − 1000;  −ln(1 + e⁻¹)
  const expected = [Math.log(0.5), -1000, -Math.log1p(Math.exp(-1))];
  expect([...logprobs!.data].map((x, i) => Math.abs(Number(x) - expected[i]!) < 1e-4)).toEqual([true, true, true]);
});

test('its gradient is onehot − softmax', async () => {
  const [comparison] = await checkGradients(
    device,
    {
      inputs: {
        logits: { shape: ['rows', 4], dims: [2, 4], data: Float32Array.of(1, -0.5, 0.3, 2, 0.1, 0.2, -1, 0) },
        targets: { shape: ['rows'], dims: [2], data: BigInt64Array.of(3n, 0n), dtype: 'int64' },
      },
      build: (g, { logits, targets }) => logProbabilityOf(g, logits!, targets!),
    },
    { step: 1e-2 },
  );
  expect(comparison!.error).toBeLessThan(1e-3);
});
