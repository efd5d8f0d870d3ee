import { neverTrains, policyRate, rateFollowsIterations } from './policy-rate.js';

const linear = { kind: 'linear', warmupSteps: 0, finalShare: null } as const;
const options = { lmLr: 1, lmLrFinalShare: 0.1, lmSchedule: linear, warmupIter: 10, iterations: 111 };

test('the rate falls linearly from the first update to the last', () => {
  expect(policyRate(10, options)).toBeCloseTo(1);
  expect(policyRate(60, options)).toBeCloseTo(0.55); // halfway from 1 to 0.1
  expect(policyRate(110, options)).toBeCloseTo(0.1);
});

test('a final share of 1 keeps it constant', () => {
  expect(policyRate(60, { ...options, lmLrFinalShare: 1 })).toBe(1);
});

test('another schedule counts iterations after the frozen ones, its warm-up among them', () => {
  const cosine = { kind: 'cosine', warmupSteps: 4, finalShare: 0.2 } as const;
  const rates = [10, 13, 14, 62, 110].map((iteration) => policyRate(iteration, { ...options, lmSchedule: cosine }));
  // 100 steps of which 4 warm up: a quarter of the peak at once; halfway, at 4 + 48, the mean of 1 and 0.2
  [0.25, 1, 1, 0.6, 0.2].forEach((rate, i) => expect(rates[i]).toBeCloseTo(rate));
});

test('a warm-up of all iterations is a problem', () => {
  expect(neverTrains({ warmupIter: 5, iterations: 6 })).toEqual([]);
  expect(neverTrains({ warmupIter: 6, iterations: 6 })).toEqual([
    {
      key: 'warmup_iter',
      message: 'warmup_iter=6 leaves no iteration of 6 in which the policy trains',
      remedy: 'lower warmup_iter or raise iterations',
    },
  ]);
});

test.each([
  [{ kind: 'linear', warmupSteps: 0, finalShare: null }, 0.1, true],
  [{ kind: 'linear', warmupSteps: 5, finalShare: null }, 1, false],
  [{ kind: 'cosine', warmupSteps: 0, finalShare: 0.5 }, 1, true],
  [{ kind: 'linear', warmupSteps: 0, finalShare: 1 }, 0.1, false],
  [{ kind: 'constant', warmupSteps: 5, finalShare: null }, 0.1, false],
  [{ kind: 'constant', warmupSteps: -1, finalShare: null }, 1, true], // a tenth of all iterations
] as const)(
  'whether %j with lm_lr_final_share=%d follows the number of iterations: %s',
  (lmSchedule, lmLrFinalShare, follows) => {
    expect(rateFollowsIterations({ lmSchedule, lmLrFinalShare })).toBe(follows);
    const rates = [20, 40].map((iterations) =>
      [1, 15].map((at) => policyRate(at, { ...options, warmupIter: 0, iterations, lmSchedule, lmLrFinalShare })).join(),
    );
    expect(rates[0] === rates[1]).toBe(!follows);
  },
);
