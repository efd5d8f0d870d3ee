import { checkGradients, openDevice } from '@bowyer/graph';
import { rmsNormalization } from './rms-normalization.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const x = { shape: ['rows', 2, 3], dims: [2, 2, 3], data: Float32Array.of(3, 4, 0, 1, -1, 2, 0.5, 2, -2, 0.1, 0, 0) };
const scale = { shape: [3], dims: [3], data: Float32Array.of(1, 2, -1) };

test('the rule agrees with central differences', async () => {
  const comparisons = await checkGradients(
    device,
    { inputs: { x, scale }, build: (g, inputs) => rmsNormalization(g, inputs.x, inputs.scale, 1e-2) },
    { step: 1e-2 },
  );
  expect(comparisons.map(({ input }) => input).sort()).toEqual(['scale', 'x']);
  for (const { error } of comparisons) expect(error).toBeLessThan(2e-3);
});
