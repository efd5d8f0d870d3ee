import { expectGradient } from '../../test/central-differences.js';
import { ppoClipLoss } from './ppo-clip.js';

const options = { clipLow: 0.2, clipHigh: 0.28, dualClip: 3 };
const one = Float32Array.of(1);
const lossOfToken = (advantage: number, ratio: number) =>
  ppoClipLoss(
    {
      logprobs: Float32Array.of(Math.log(ratio)),
      oldLogprobs: Float32Array.of(0),
      advantages: Float32Array.of(advantage),
      weights: one,
    },
    options,
  );

// Loss max(−A ρ, −A clip(ρ, 0.8, 1.28)), at most 3 where A = −1; the gradient is −A ρ, or 0 where a bound decides.
test.each([
  [1, 0.5, -0.5, -0.5],
  [1, 1.25, -1.25, -1.25],
  [1, 1.5, -1.28, 0],
  [1, 4, -1.28, 0],
  [-1, 0.5, 0.8, 0],
  [-1, 1.25, 1.25, 1.25],
  [-1, 1.5, 1.5, 1.5],
  [-1, 4, 3, 0],
])('advantage %d, ratio %d: loss %d, gradient %d', (advantage, ratio, loss, gradient) => {
  const found = lossOfToken(advantage, ratio);
  expect(found.loss).toBeCloseTo(loss, 6);
  expect(found.gradient[0]).toBeCloseTo(gradient, 6);
});

test('without dual clip a bad token whose ratio grew is not bounded', () => {
  const tokens = { logprobs: Float32Array.of(Math.log(4)), oldLogprobs: Float32Array.of(0), weights: one };
  expect(ppoClipLoss({ ...tokens, advantages: Float32Array.of(-1) }, { ...options, dualClip: null }).loss).toBeCloseTo(
    4,
    6,
  );
});

test('at ratio 1 it is the policy gradient, and nothing is clipped', () => {
  const logprobs = Float32Array.of(-1, -2, -3);
  const weights = Float32Array.of(0.5, 0, 0.5); // the second token is not one of the agent's
  const advantages = Float32Array.of(2, 7, -1);
  const found = ppoClipLoss({ logprobs, oldLogprobs: logprobs, advantages, weights }, options);
  expect(found).toEqual({ loss: -0.5, gradient: Float32Array.of(-1, 0, 0.5), approxKl: 0, clipFraction: 0 });
});

test('the gradient agrees with central differences; diagnostics are weighted means', () => {
  const logprobs = Float32Array.of(-1, -1.2, -0.5, -2, -0.4);
  const tokens = {
    oldLogprobs: Float32Array.of(-1.1, -1, -1, -1.8, -2),
    advantages: Float32Array.of(1, -0.5, 2, -1, -1),
    weights: Float32Array.of(0.1, 0.2, 0.3, 0.2, 0.2),
  };
  expectGradient((at) => ppoClipLoss({ logprobs: at, ...tokens }, options), logprobs);
  const { clipFraction, approxKl } = ppoClipLoss({ logprobs, ...tokens }, options);
  expect(clipFraction).toBeCloseTo(0.3 + 0.2, 6); // ratios e^0.1, e^−0.2, e^0.5, e^−0.2, e^1.6: the third and the last are clipped
  const k3 = (d: number) => Math.exp(d) - 1 - d;
  expect(approxKl).toBeCloseTo(0.1 * k3(0.1) + 0.2 * k3(-0.2) + 0.3 * k3(0.5) + 0.2 * k3(-0.2) + 0.2 * k3(1.6), 5);
});

test('a batch without weights is refused', () => {
  const zero = Float32Array.of(0);
  expect(() => ppoClipLoss({ logprobs: one, oldLogprobs: one, advantages: one, weights: zero }, options)).toThrow(
    'ppoClipLoss: all 1 weights are 0; the batch has no token of the agent',
  );
});
