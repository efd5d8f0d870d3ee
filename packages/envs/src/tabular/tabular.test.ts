import { discountedReturns, episodicReturn, mean, Rng, standardError } from '@bowyer/core';
import { tabularDemonstrations } from './demonstrations.js';
import { epsilonGreedy, exactValues, optimalValues, startValue } from './exact-values.js';
import { towerModel, type TabularModel } from './model.js';
import { TabularGame } from './tabular-game.js';
import { tabularUnit } from './unit.js';

const optimum = optimalValues(towerModel, { gamma: 1 });

test('every state has the same actions, and the chances of every draw add up to 1', () => {
  const draws = Object.values(towerModel.states).flatMap((actions) => Object.values(actions));
  for (const outcomes of draws) {
    expect(outcomes.reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
  }
  expect(new Set(Object.values(towerModel.states).map((actions) => Object.keys(actions).join())).size).toBe(1);
});

test('values of a policy on a game of two states, worked by hand', () => {
  const model: TabularModel = {
    start: { a: 1 },
    states: {
      a: {
        go: [
          { probability: 0.5, reward: 1, next: 'b' },
          { probability: 0.5, reward: 0, next: 'a' },
        ],
        stop: [{ probability: 1, reward: 0.25, next: null }],
      },
      b: {
        go: [{ probability: 1, reward: 2, next: null }],
        stop: [{ probability: 1, reward: 0, next: null }],
      },
    },
  };
  const always = { a: { go: 1, stop: 0 }, b: { go: 1, stop: 0 } };
  const { v, q } = exactValues(model, always, { gamma: 0.5 });
  // V(b) = 2; V(a) = ½(1 + ½·2) + ½(0 + ½ V(a)), so that V(a) = 1 / ¾.
  expect(v.b).toBeCloseTo(2);
  expect(v.a).toBeCloseTo(4 / 3);
  expect(q.a.stop).toBe(0.25);
  // With two steps, one step from a gives V₁(b) = 2 and V₁(a) = ½.
  expect(exactValues(model, always, { gamma: 0.5, horizon: 2 }).v.a).toBeCloseTo(0.5 * (1 + 0.5 * 2) + 0.5 * 0.5 * 0.5);
  expect(optimalValues(model, { gamma: 0.5 }).v.a).toBeCloseTo(4 / 3);
});

test('the best actions, and an optimum that only a player who looks ahead finds', () => {
  const best = epsilonGreedy(towerModel, optimum, 0);
  const actions = Object.values(best).map((chances) => Object.keys(chances).find((action) => chances[action] === 1));
  expect(actions).toEqual(['right', 'left', 'wait', 'left', 'wait']);
  // In the hall, the reward is −0.2, then 0.7 · 2 + 0.3 · V(hall), so that V(hall) = 1.2 / 0.7; from both starts the hall is
  // reached without a cost.
  expect(startValue(towerModel, optimum)).toBeCloseTo(1.2 / 0.7, 10);
  for (const gamma of [0.8, 0.9, 0.95]) {
    expect(epsilonGreedy(towerModel, optimalValues(towerModel, { gamma }), 0)).toEqual(best);
  }
  const myopic = epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 0 }), 0);
  // The myopic policy takes 0.05 at the gate and at the shore.
  expect(startValue(towerModel, exactValues(towerModel, myopic, { gamma: 1 }))).toBeCloseTo(0.05);
});

test('the unit names the optimum under its step limit', () => {
  const bestIn = (maxSteps: number) => tabularUnit.evaluation!.optimalReturn!({ maxSteps }, { noise: 0 });
  expect(bestIn(1)).toBeCloseTo(0.05);
  expect(bestIn(20)).toBeCloseTo(1.7142, 3);
});

test('play has the exact value of the player: optimum, demonstrator with noise, random', async () => {
  for (const noise of [0, 0.5, 1]) {
    const played = await tabularDemonstrations({ maxSteps: 20 }, { episodes: 4000, noise, seed: 1 });
    const returns = played.map((transitions) => episodicReturn({ transitions }));
    const player = epsilonGreedy(towerModel, optimum, noise);
    const value = startValue(towerModel, exactValues(towerModel, player, { gamma: 1, horizon: 20 }));
    expect(Math.abs(mean(returns) - value)).toBeLessThan(4 * standardError(returns));
    const discounted = played.map(
      (turns) =>
        discountedReturns(
          turns.map(({ reward }) => reward),
          0.9,
        )[0],
    );
    const discountedValue = startValue(towerModel, exactValues(towerModel, player, { gamma: 0.9, horizon: 20 }));
    expect(Math.abs(mean(discounted) - discountedValue)).toBeLessThan(4 * standardError(discounted));
  }
});

test('the step limit truncates, and a text that is not an action costs 0.1', async () => {
  const env = new TabularGame({ maxSteps: 2 });
  const { observation } = await env.reset({ seed: 3 });
  expect(['gate\n', 'shore\n']).toContain(observation);
  expect(await env.step('jump')).toMatchObject({
    observation,
    reward: -0.1,
    truncated: false,
    info: { invalid: true },
  });
  expect(await env.step('constructor')).toMatchObject({ observation, terminated: false, truncated: true });
});

test('different histories share states: both starts lead to the hall', async () => {
  const rng = new Rng(0);
  const played = await tabularDemonstrations({ maxSteps: 20 }, { episodes: 200, noise: 0.5, seed: rng.uint32() });
  const before = played.flatMap((turns) =>
    turns.filter(({ nextObservation }) => nextObservation === 'hall\n').map(({ observation }) => observation),
  );
  expect(new Set(before)).toEqual(new Set(['gate\n', 'shore\n', 'hall\n', 'bridge\n']));
});
