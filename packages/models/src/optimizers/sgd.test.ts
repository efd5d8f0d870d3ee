// Compares SGD with torch.optim.SGD (1.13: three steps, lr 0.1, decay 0.01, gradients [0.3 t, −0.2, 1 − t]), and its forms with each
// other.
import { openDevice } from '@bowyer/graph';
import { createOptimizer } from './create-optimizer.js';
import type { Optimizer } from './optimizer.js';
import type { SgdOptions } from './sgd.js';
import { readStateDict } from '../weights/state-dict.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const start = [1, -2, 0.5];
const gradientAt = (step: number) => [0.3 * step, -0.2, 1 - step];
const create = async (options: SgdOptions) => {
  const parameters = await device.createState({ w: { shape: [3], data: Float32Array.from(start) } });
  return createOptimizer(device, parameters, { kind: 'sgd', ...options });
};
const take = async (optimizer: Optimizer, gradient: number[]) => {
  await device.write(optimizer.gradients, { w: { data: Float32Array.from(gradient) } });
  return optimizer.step({ lr: 0.1, maxGradNorm: Infinity });
};
const valuesOf = async (optimizer: Optimizer) => [...(await readStateDict(device, optimizer.parameters)).w.data];

describe.each(['host', 'graph'] as const)('as a function or as a graph: %s', (run) => {
  test.each([
    { momentum: 0, nesterov: false, torch: [0.81712294, -1.93406606, 0.79840153] },
    { momentum: 0.9, nesterov: false, torch: [0.70926881, -1.87668562, 0.8870974] },
    { momentum: 0.9, nesterov: true, torch: [0.5557202, -1.82322776, 1.14662147] },
  ])('momentum $momentum, nesterov $nesterov: what torch.optim.SGD gives', async ({ momentum, nesterov, torch }) => {
    const optimizer = await create({ momentum, nesterov, weightDecay: 0.01, run });
    for (const step of [1, 2, 3]) await take(optimizer, gradientAt(step));
    (await valuesOf(optimizer)).forEach((value, i) => expect(value).toBeCloseTo(torch[i], 6));
  });
});

test('nesterov without momentum is refused', async () => {
  await expect(create({ momentum: 0, nesterov: true, weightDecay: 0 })).rejects.toThrow(
    'needs a momentum above 0, such as 0.9',
  );
});
