import { expectGradient } from '../../test/central-differences.js';
import { gspoLoss } from './gspo.js';
import { ppoClipLoss } from './ppo-clip.js';

const wide = { clipLow: 0.9, clipHigh: 9, dualClip: null };

test('the ratio of a sequence is the geometric mean of its tokens', () => {
  const tokens = {
    logprobs: Float32Array.of(0.2 - 1, -0.1 - 1, 0.4 - 1),
    oldLogprobs: Float32Array.of(-1, -1, -1),
    advantages: Float32Array.of(1, 1, 1),
    weights: Float32Array.of(1 / 3, 1 / 3, 1 / 3),
  };
  expect(gspoLoss({ ...tokens, lengths: [3] }, wide).loss).toBeCloseTo(-1.18136, 6); // e^((0.2 − 0.1 + 0.4) / 3)
  // With each token as a sequence, the ratios are PPO's.
  const alone = gspoLoss({ ...tokens, lengths: [1, 1, 1] }, wide);
  expect(alone).toEqual(ppoClipLoss(tokens, wide));
});

test('a clipped sequence has no gradient on any of its tokens', () => {
  const tokens = {
    logprobs: Float32Array.of(-0.5, -1, -1, -0.2),
    oldLogprobs: Float32Array.of(-1, -1, -1, -1),
    advantages: Float32Array.of(1, 1, -1, -1),
    weights: Float32Array.of(0.25, 0.25, 0.25, 0.25),
  };
  const { gradient, clipFraction } = gspoLoss(
    { ...tokens, lengths: [2, 2] },
    { clipLow: 3e-4, clipHigh: 4e-4, dualClip: null },
  );
  expect([...gradient.slice(0, 2)]).toEqual([0, 0]); // s = e^0.25 and A > 0
  expect(gradient[2]).toBeCloseTo(0.25 * Math.exp(0.4), 6); // s = e^0.4 and A < 0: not clipped
  expect(clipFraction).toBe(1);
});

test('the gradient agrees with central differences where a sequence has one advantage', () => {
  const rest = {
    oldLogprobs: Float32Array.of(-1.1, -1, -1, -1.8, -2),
    advantages: Float32Array.of(1, 1, -1, -1, -1),
    weights: Float32Array.of(0.25, 0.25, 0.1, 0.1, 0.1),
    lengths: [2, 3],
  };
  expectGradient((logprobs) => gspoLoss({ logprobs, ...rest }, wide), Float32Array.of(-1, -1.2, -0.5, -2, -0.4));
});

test('lengths that do not cover the tokens are refused', () => {
  const one = Float32Array.of(1);
  expect(() =>
    gspoLoss({ logprobs: one, oldLogprobs: one, advantages: one, weights: one, lengths: [2] }, wide),
  ).toThrow('gspoLoss: the sequences have 2 tokens for 1 logprobs');
});
