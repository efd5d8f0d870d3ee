import { cispoLoss } from './cispo.js';

// sg(…) is a constant in the gradient, so the gradient is −w A clip(ratio, 0.5, 2) for every ratio, and the loss is that times
// logprob.
test.each([
  [1, 1.25, -1.25],
  [1, 4, -2],
  [1, 0.25, -0.5],
  [-3, 4, 6],
])('advantage %d, ratio %d: gradient %d', (advantage, ratio, gradient) => {
  const logprobs = Float32Array.of(-1.5);
  const oldLogprobs = Float32Array.of(-1.5 - Math.log(ratio));
  const tokens = { logprobs, oldLogprobs, advantages: Float32Array.of(advantage), weights: Float32Array.of(0.5) };
  const found = cispoLoss(tokens, { low: 0.5, high: 2 });
  expect(found.gradient[0]).toBeCloseTo(0.5 * gradient, 6);
  expect(found.loss).toBeCloseTo(0.5 * gradient * -1.5, 5);
});
