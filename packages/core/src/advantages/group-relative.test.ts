import { groupRelativeAdvantages, type GroupRelativeOptions } from './group-relative.js';

const rloo: GroupRelativeOptions = { baseline: 'others', scaleEpsilon: null };
const grpo: GroupRelativeOptions = { baseline: 'mean', scaleEpsilon: 1e-6 };
const drGrpo: GroupRelativeOptions = { baseline: 'mean', scaleEpsilon: null };
const oneGroup = [7, 7, 7, 7];

const expectAdvantages = (returns: number[], options: GroupRelativeOptions, expected: number[]) =>
  groupRelativeAdvantages(returns, oneGroup.slice(0, returns.length), options).forEach((advantage, i) =>
    expect(advantage).toBeCloseTo(expected[i], 6),
  );

test('RLOO: each return minus the mean of the others', () => {
  expectAdvantages([1, 0, 0, 1], rloo, [2 / 3, -2 / 3, -2 / 3, 2 / 3]);
  expectAdvantages([1, 0.5, 0, 0], rloo, [0.833333, 0.166667, -0.5, -0.5]);
});

test('GRPO: divided by the sample standard deviation', () => {
  expectAdvantages([1, 0, 0, 1], grpo, [0.866024, -0.866024, -0.866024, 0.866024]); // 0.5 / (0.577350 + 1e-6)
  expectAdvantages([1, 0.5, 0, 0], grpo, [1.30558, 0.261116, -0.783348, -0.783348]);
  expectAdvantages([1, 0, 0, 1], { ...grpo, scaleEpsilon: 1e-4 }, [0.865875, -0.865875, -0.865875, 0.865875]);
});

test('Dr. GRPO: the difference from the mean alone; RLOO is n / (n − 1) times that', () => {
  expectAdvantages([1, 0.5, 0, 0], drGrpo, [0.625, 0.125, -0.375, -0.375]);
});

test('groups do not affect each other, whatever the order of their episodes', () => {
  const advantages = groupRelativeAdvantages([1, 10, 0, 30], [0, 1, 0, 1], drGrpo);
  expect([...advantages]).toEqual([0.5, -10, -0.5, 10]);
});

test.each([rloo, grpo, drGrpo])('a group with equal returns has zero advantages, and no NaN (%j)', (options) => {
  expect([...groupRelativeAdvantages([0.1, 0.1, 0.1], [0, 0, 0], options)]).toEqual([0, 0, 0]);
});

test.each([rloo, grpo, drGrpo])(
  'a group of one has nothing to compare with, beside groups that have (%j)',
  (options) => {
    const [alone, better, worse] = groupRelativeAdvantages([3, 2, 1], [0, 1, 1], options);
    expect(alone).toBe(0);
    expect(better).toBeGreaterThan(0);
    expect(worse).toBeLessThan(0);
  },
);

test('adding a constant to all returns changes nothing, and a group sums to zero', () => {
  for (const options of [rloo, grpo, drGrpo]) {
    const plain = groupRelativeAdvantages([1, 0.5, 0, 0], oneGroup, options);
    groupRelativeAdvantages([3, 2.5, 2, 2], oneGroup, options).forEach((a, i) => expect(a).toBeCloseTo(plain[i], 6));
    expect(plain.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 6);
  }
});
