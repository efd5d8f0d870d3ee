import { expectGradient } from '../../test/central-differences.js';
import { dpoLoss } from './dpo.js';

test('a policy that equals its reference has the loss log 2 and pushes both ways by β / 2', () => {
  const logprobs = Float32Array.of(-1, -2, -3);
  const { loss, gradient, accuracy, margin } = dpoLoss(
    { logprobs, refLogprobs: logprobs, lengths: [2, 1] },
    { beta: 0.1, nllCoefficient: 0 },
  );
  expect(loss).toBeCloseTo(Math.log(2), 12);
  expect([...gradient]).toEqual([-0.05, -0.05, 0.05].map(Math.fround));
  expect([accuracy, margin]).toEqual([0, 0]);
});

test('worked by hand: h = 0.5 · ((0.4 + 0.2) − (−0.4)) = 0.5', () => {
  const tokens = {
    logprobs: Float32Array.of(-0.6, -0.8, -1.4),
    refLogprobs: Float32Array.of(-1, -1, -1),
    lengths: [2, 1],
  };
  const { loss, accuracy, margin } = dpoLoss(tokens, { beta: 0.5, nllCoefficient: 0 });
  expect(margin).toBeCloseTo(0.5, 6);
  expect(loss).toBeCloseTo(Math.log(1 + Math.exp(-0.5)), 6);
  expect(accuracy).toBe(1);
});

test('the gradient agrees with central differences over two pairs', () => {
  const rest = { refLogprobs: Float32Array.of(-1, -1, -1, -2, -2, -2, -2), lengths: [2, 1, 1, 3] };
  const logprobs = Float32Array.of(-0.5, -1.5, -3, -1, -2, -1, -0.2);
  expectGradient((at) => dpoLoss({ logprobs: at, ...rest }, { beta: 0.7, nllCoefficient: 0.3 }), logprobs);
});

test('the likelihood of the chosen sequence counts per token: 0.5 · (0.6 + 0.8) / 2 = 0.35', () => {
  const tokens = {
    logprobs: Float32Array.of(-0.6, -0.8, -1.4),
    refLogprobs: Float32Array.of(-1, -1, -1),
    lengths: [2, 1],
  };
  const [plain, anchored] = [0, 0.5].map((nllCoefficient) => dpoLoss(tokens, { beta: 0.5, nllCoefficient }));
  expect(anchored.nll).toBeCloseTo(0.7, 6);
  expect(anchored.loss - plain.loss).toBeCloseTo(0.35, 6);
  expect(anchored.gradient[0] - plain.gradient[0]).toBeCloseTo(-0.25, 6);
  expect(anchored.gradient[2]).toBe(plain.gradient[2]);
});

test('large margins do not overflow', () => {
  const far = (chosen: number) =>
    dpoLoss(
      { logprobs: Float32Array.of(chosen, 0), refLogprobs: Float32Array.of(0, 0), lengths: [1, 1] },
      { beta: 1, nllCoefficient: 0 },
    ).loss;
  expect(far(-1e4)).toBe(1e4);
  expect(far(1e4)).toBe(0);
});

test('an odd number of sequences, or missing tokens, is refused', () => {
  const logprobs = Float32Array.of(-1, -1);
  expect(() => dpoLoss({ logprobs, refLogprobs: logprobs, lengths: [2] }, { beta: 1, nllCoefficient: 0 })).toThrow(
    'dpoLoss: 1 sequences of 2 tokens for 2 logprobs; give chosen and rejected in turn, with all their tokens',
  );
});
