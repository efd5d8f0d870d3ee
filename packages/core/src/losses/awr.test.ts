import { awrWeights } from './awr.js';

const options = { temperature: 0.5, maxWeight: 20 };

test('weights are exp(A / β), at most the bound', () => {
  const [none, half, large] = awrWeights(Float32Array.of(0, -0.5, 2), options);
  expect(none).toBe(1);
  expect(half).toBeCloseTo(Math.exp(-1), 6);
  expect(large).toBe(20); // e^4 = 54.6
});
