import type { Trajectory } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import { qTargets } from './critic.js';

/** V̄₁ of `s1`, `s2`, … is 10, 20, …; V̄₂ is smaller by one. */
const critic = {
  evaluate: async (observations: readonly string[]) => {
    const v1 = Float32Array.from(observations, (observation) => 10 * Number(observation.slice(1)));
    return { v1, v2: v1.map((value) => value - 1), q1: v1, q2: v1 };
  },
} as unknown as DoubleCritic;

/** Makes an episode with rewards 1, 2, 3, … and observations s0, s1, …. */
const episode = (turns: number, end: 'terminated' | 'truncated'): Trajectory => ({
  episode: 0,
  seed: 0,
  infos: [],
  segments: [],
  transitions: Array.from({ length: turns }, (_, t) => ({
    observation: `s${t}`,
    action: 'a',
    reward: t + 1,
    nextObservation: `s${t + 1}`,
    terminated: end === 'terminated' && t === turns - 1,
    truncated: end === 'truncated' && t === turns - 1,
  })),
});

const options = { tdSteps: 1 as number | null, bootstrapOnLimit: true, tdTarget: 'own' as const };
const targets = async (trajectory: Trajectory, turn: number, changes: object, rhos: number[] | null = null) => {
  const weights = rhos && new Map([[trajectory, Float32Array.from(rhos)]]);
  const [one, two] = await qTargets(critic, [{ trajectory, turn }], weights, {
    gamma: 0.5,
    critic: { ...options, ...changes },
  });
  return [one[0], two[0]];
};

test('one step: each head bootstraps from its own V̄, or both from the smaller', async () => {
  const trajectory = episode(3, 'terminated');
  expect(await targets(trajectory, 0, {})).toEqual([1 + 0.5 * 10, 1 + 0.5 * 9]);
  expect(await targets(trajectory, 0, { tdTarget: 'min' })).toEqual([1 + 0.5 * 9, 1 + 0.5 * 9]);
  expect(await targets(trajectory, 2, {})).toEqual([3, 3]);
});

test('two steps: r₀ + γ r₁ + γ² V̄(s₂), fewer where the episode ends before', async () => {
  const trajectory = episode(3, 'terminated');
  expect((await targets(trajectory, 0, { tdSteps: 2 }))[0]).toBe(1 + 0.5 * 2 + 0.25 * 20);
  expect((await targets(trajectory, 1, { tdSteps: 2 }))[0]).toBe(2 + 0.5 * 3);
});

test('Monte Carlo: the discounted rewards to the end of the episode', async () => {
  expect(await targets(episode(3, 'terminated'), 0, { tdSteps: null })).toEqual([2.75, 2.75]); // 1 + 2 / 2 + 3 / 4
});

test('with bootstrap_on_limit = false (d = 1 in the original) no value is added beyond the limit of turns', async () => {
  const trajectory = episode(3, 'truncated');
  expect((await targets(trajectory, 2, {}))[0]).toBe(3 + 0.5 * 30);
  expect((await targets(trajectory, 2, { bootstrapOnLimit: false }))[0]).toBe(3);
  expect((await targets(trajectory, 0, { tdSteps: null }))[0]).toBe(2.75 + 0.125 * 30);
  expect((await targets(trajectory, 0, { tdSteps: null, bootstrapOnLimit: false }))[0]).toBe(2.75);
});

test('importance weights are those of the later turns: r₀ + γ [V̄₁ + ρ₁ (r₁ + γ V̄₂ − V̄₁)]', async () => {
  const found = await targets(episode(3, 'terminated'), 0, { tdSteps: 2 }, [100, 0.5, 100]);
  expect(found[0]).toBe(1 + 0.5 * (10 + 0.5 * (2 + 0.5 * 20 - 10)));
});
