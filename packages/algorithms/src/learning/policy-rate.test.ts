import { neverTrains, policyRate, rateFollowsIterations } from './policy-rate.js';

const falling = { kind: 'linear', warmupIterations: 0, finalShare: 0.1 } as const;
const rateAt = (iteration: number, schedule: Parameters<typeof rateFollowsIterations>[0] = falling) =>
  policyRate(iteration, { iterations: 111, actor: { lr: 1, schedule, warmupIterations: 10 } });

test('the rate falls linearly from the first update to the last', () => {
  expect(rateAt(10)).toBeCloseTo(1);
  expect(rateAt(60)).toBeCloseTo(0.55); // halfway from 1 to 0.1
  expect(rateAt(110)).toBeCloseTo(0.1);
});

test('a final share of 1 keeps it constant', () => {
  expect(rateAt(60, { ...falling, finalShare: 1 })).toBe(1);
});

test('another schedule counts iterations after the frozen ones, its warm-up among them', () => {
  const rates = [10, 13, 14, 62, 110].map((at) => rateAt(at, { kind: 'cosine', warmupIterations: 4, finalShare: 0.2 }));
  // 100 steps, of which 4 are the warm-up: a quarter of the peak in the first step; halfway, after 4 + 48 steps, the mean of 1
  // and 0.2
  [0.25, 1, 1, 0.6, 0.2].forEach((rate, i) => expect(rates[i]).toBeCloseTo(rate));
});

test('a warm-up of all iterations is a problem', () => {
  expect(neverTrains({ iterations: 6, actor: { warmupIterations: 5 } })).toEqual([]);
  expect(neverTrains({ iterations: 6, actor: { warmupIterations: 6 } })).toEqual([
    {
      key: 'algorithm.actor.warmup_iterations',
      message: 'algorithm.actor.warmup_iterations=6 leaves no iteration of 6 in which the policy trains',
      remedy: 'lower algorithm.actor.warmup_iterations or raise algorithm.iterations',
    },
  ]);
});

test.each([
  [{ kind: 'linear', warmupIterations: 0, finalShare: 0.1 }, true],
  [{ kind: 'linear', warmupIterations: 5, finalShare: 1 }, false],
  [{ kind: 'cosine', warmupIterations: 0, finalShare: 0.5 }, true],
  [{ kind: 'constant', warmupIterations: 5, finalShare: 0.1 }, false],
  [{ kind: 'constant', warmupIterations: -1, finalShare: 1 }, true], // a tenth of all iterations
] as const)('whether %j follows the number of iterations: %s', (schedule, follows) => {
  expect(rateFollowsIterations(schedule)).toBe(follows);
  const rates = [20, 40].map((iterations) =>
    [1, 15].map((at) => policyRate(at, { iterations, actor: { lr: 1, schedule } })).join(),
  );
  expect(rates[0] === rates[1]).toBe(!follows);
});
