// Tests each loss against its formula, which the tests compute one token at a time, and the errors for invalid inputs.
import { lossValue, tokenLosses } from './losses.js';
import type { Datum, LossRequest } from './trainable.js';

const logprobs = [Float32Array.of(-1, -2, -0.5), Float32Array.of(-3, -0.1)];
const q = [Float32Array.of(-1.5, -1, 0), Float32Array.of(-3, -2)];
const A = [Float32Array.of(2, -1, 0), Float32Array.of(1, 3)];
const w = [Float32Array.of(1, 0.5, 0), Float32Array.of(-2, 1)];
const datum = (d: number, inputs: Datum['inputs']): Datum => ({
  tokens: new Int32Array(logprobs[d].length),
  targets: new Int32Array(logprobs[d].length),
  width: 1,
  inputs,
});
const valueOf = (request: LossRequest, data: Datum[]) => lossValue(tokenLosses(data, request), logprobs);
const clip = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

const byHand: [LossRequest, (lp: number, old: number, advantage: number) => number][] = [
  [{ name: 'importance_sampling', config: {} }, (lp, old, a) => -Math.exp(lp - old) * a],
  [
    { name: 'ppo', config: {} },
    (lp, old, a) => -Math.min(Math.exp(lp - old) * a, clip(Math.exp(lp - old), 0.8, 1.2) * a),
  ],
  [
    { name: 'ppo', config: { clip_low_threshold: 0.3, clip_high_threshold: 3 } },
    (lp, old, a) => -Math.min(Math.exp(lp - old) * a, clip(Math.exp(lp - old), 0.3, 3) * a),
  ],
  [{ name: 'cispo', config: {} }, (lp, old, a) => -clip(Math.exp(lp - old), 0, 4) * lp * a],
  [{ name: 'dro', config: { beta: 0.3 } }, (lp, old, a) => -(lp * a - 0.15 * (lp - old) ** 2)],
];

test.each(byHand)('%j: the sum over tokens and data', (request, tokenLoss) => {
  for (const weights of [undefined, w]) {
    let sum = 0;
    logprobs.forEach((row, d) =>
      row.forEach((lp, t) => (sum += (weights?.[d][t] ?? 1) * tokenLoss(lp, q[d][t], A[d][t]))),
    );
    const data = logprobs.map((_, d) =>
      datum(d, { logprobs: q[d], advantages: A[d], ...(weights && { weights: weights[d] }) }),
    );
    const { loss, metrics } = valueOf(request, data);
    expect(loss).toBeCloseTo(sum, 5);
    expect(metrics['loss:sum']).toBe(loss);
    expect(Object.keys(metrics).every((name) => /^\w+:(sum|mean|max)$/.test(name))).toBe(true);
  }
});

test('cross_entropy: −Σ w log p, with weights of either sign', () => {
  const data = logprobs.map((_, d) => datum(d, { weights: w[d] }));
  expect(valueOf({ name: 'cross_entropy', config: {} }, data).loss).toBeCloseTo(1 + 1 - 6 + 0.1, 5);
});

const full = { logprobs: q[0], advantages: A[0] };
test.each<[string, LossRequest, Datum]>([
  [
    "loss_fn 'gspo' is not served; cross_entropy, importance_sampling, ppo, cispo, dro are",
    { name: 'gspo', config: {} },
    datum(0, full),
  ],
  [
    "loss_fn_config has the key 'clip_low', which ppo does not read: clip_low_threshold, clip_high_threshold",
    { name: 'ppo', config: { clip_low: 0.8 } },
    datum(0, full),
  ],
  ['data[0] has no advantages, which ppo needs', { name: 'ppo', config: {} }, datum(0, { logprobs: q[0] })],
  [
    "data[0] has the input 'values', which ppo does not read: target_tokens, logprobs, advantages, weights",
    { name: 'ppo', config: {} },
    datum(0, { ...full, values: q[0] }),
  ],
  [
    'data[0] has 2 weights for 3 (its tokens)',
    { name: 'cross_entropy', config: {} },
    datum(0, { weights: Float32Array.of(1, 1) }),
  ],
  [
    'data[0]: weights[1] is NaN; it must be finite',
    { name: 'cross_entropy', config: {} },
    datum(0, { weights: Float32Array.of(1, NaN, 1) }),
  ],
  [
    'target_tokens have 2 columns: dro has one target for a position, cross_entropy alone several',
    { name: 'dro', config: {} },
    { ...datum(0, full), targets: new Int32Array(6), width: 2 },
  ],
])('refused: %s', (message, request, given) => {
  expect(() => tokenLosses([given], request)).toThrow(message);
});
