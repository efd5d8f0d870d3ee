import { gae } from './gae.js';

const episode = (rewards: number[], lastValue: number, end: 'terminated' | 'truncated') => ({
  rewards: Float32Array.from(rewards),
  values: Float32Array.of(0.4, 0.5, 0.7),
  nextValues: Float32Array.of(0.5, 0.7, lastValue),
  terminated: Uint8Array.of(0, 0, end === 'terminated' ? 1 : 0),
  truncated: Uint8Array.of(0, 0, end === 'truncated' ? 1 : 0),
});
const expectValues = (found: Float32Array, expected: number[]) => {
  expect(found).toHaveLength(expected.length);
  expected.forEach((value, t) => expect(found[t]).toBeCloseTo(value, 6));
};

test('γ = 0.99, λ = 0.9: δ = 0.095, 0.193, 0.3, summed backwards with 0.891', () => {
  const { advantages, returns } = gae(episode([0, 0, 1], 9, 'terminated'), { gamma: 0.99, lambda: 0.9 });
  expectValues(advantages, [0.505127, 0.4603, 0.3]); // 0.3; 0.193 + 0.891 · 0.3; 0.095 + 0.891 · 0.4603
  expectValues(returns, [0.905127, 0.9603, 1]);
});

test('λ = 1: the returns are the discounted returns; turns without reward count', () => {
  expectValues(gae(episode([0, 0, 1], 9, 'terminated'), { gamma: 0.99, lambda: 1 }).returns, [0.9801, 0.99, 1]);
  expectValues(gae(episode([0, 0, 1], 9, 'terminated'), { gamma: 1, lambda: 1 }).advantages, [0.6, 0.5, 0.3]);
});

test('an episode that was cut bootstraps from V(s′) = 0.6', () => {
  const { advantages } = gae(episode([-0.1, -0.1, 0], 0.6, 'truncated'), { gamma: 0.99, lambda: 0.9 });
  expectValues(advantages, [-0.006288, -0.001446, -0.106]); // the last: 0.99 · 0.6 − 0.7
});

test.each(['terminated', 'truncated'] as const)('a %s episode is not affected by the next one', (end) => {
  const [one, two] = [episode([0, 0, 1], 0.6, end), episode([5, 5, 5], 0, 'terminated')];
  const both = Object.fromEntries(
    Object.entries(one).map(([name, values]) => {
      const Kind = values.constructor as new (length: number) => Float32Array;
      const joined = new Kind(6);
      joined.set(values);
      joined.set(two[name as keyof typeof two], 3);
      return [name, joined];
    }),
  ) as unknown as typeof one;
  const options = { gamma: 0.99, lambda: 0.9 };
  expect(gae(both, options).advantages.slice(0, 3)).toEqual(gae(one, options).advantages);
});

test('a step that is both terminated and truncated is refused', () => {
  const both = { ...episode([0, 0, 1], 0, 'terminated'), truncated: Uint8Array.of(0, 0, 1) };
  expect(() => gae(both, { gamma: 1, lambda: 1 })).toThrow('gae: step 2 is both terminated and truncated');
});
