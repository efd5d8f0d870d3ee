// Tests critics and advantages against the exact values of a fixed policy. Each of several mistakes is tried as well, and gives
// errors far above the bound: a wrong discount, a truncation taken for an end, and a bootstrap or a reward in the wrong place.
import {
  discountedReturns,
  gae,
  importanceWeight,
  mean,
  ReplayBuffer,
  Rng,
  withDefaults,
  type Trajectory,
  type Transition,
} from '@bowyer/core';
import { epsilonGreedy, exactValues, optimalValues, towerModel, type TabularPolicy } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic, LineEncoder } from '@bowyer/models';
import { chai, type ReplayItem } from '../index.js';
import { SharedClip } from './shared-clip.js';
import { insertTurns } from '../rollout/replay.js';
import { updateCritic } from './critic.js';
import {
  actions,
  adam,
  criticError,
  episodesOf,
  sampling,
  states,
  tableCritic,
  tokenizer,
} from '../../test/exact-game.js';

const gamma = 0.95;
/** A policy that chooses the best action in half of the turns, so that all actions of all states occur. */
const policy = epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1 }), 0.5);
/** The limit is so short that a third of the episodes is truncated. */
const limit = 4;
let episodes: Trajectory[];
beforeAll(async () => (episodes = await episodesOf(policy, 6000, limit)));

const options = withDefaults(chai.options, {
  gamma,
  batch: { size: 500, accumulationSteps: 1 },
  critic: { steps: 50, maxGradNorm: 10, tau: 0.5, vTarget: { action: 'stored' } },
});
type Changes = { gamma?: number; size?: number } & Partial<(typeof options)['critic']>;
type WeightsOf = Parameters<typeof updateCritic>[3];

/** The learning rate decreases to a tenth. Returns the largest error of Q and V as values of `of`. */
async function errorAfterTd(
  critic: DoubleCritic,
  learnt: readonly Trajectory[],
  { gamma: discount = gamma, size = options.batch.size, ...changes }: Changes,
  rate: number,
  { of = policy, weightsOf = null }: { of?: TabularPolicy; weightsOf?: WeightsOf } = {},
) {
  const replay = new ReplayBuffer<ReplayItem>(100_000);
  insertTurns(replay, learnt);
  const openPlayer = () => Promise.reject(new Error('stored actions need no fresh ones'));
  const learner = { critic, replay, clip: new SharedClip('own'), hooks: { progress: () => {} }, openPlayer };
  for (const lr of [rate, rate / 10]) {
    const critical = { ...options.critic, ...changes, lr };
    const batch = { ...options.batch, size };
    const update = { ...options, gamma: discount, batch, critic: critical, slots: 64, sampling };
    await updateCritic(learner, new Rng(1), update, weightsOf);
  }
  return criticError(critic, of, gamma);
}

const withTurns = (change: (turn: Transition, index: number, turns: Transition[]) => Partial<Transition>) =>
  episodes.map((episode) => ({
    ...episode,
    transitions: episode.transitions.map((turn, i, turns) => ({ ...turn, ...change(turn, i, turns) })),
  }));

test('episodes are truncated often enough for a wrong truncation to show', () => {
  const cut = mean(episodes.map(({ transitions }) => (transitions.at(-1)!.truncated ? 1 : 0)));
  expect(cut).toBeGreaterThan(0.2);
});

test('TD of stored actions learns the exact Q and V of the policy that played', async () => {
  expect(await errorAfterTd(tableCritic(), episodes, {}, 0.5)).toBeLessThan(0.05);
});

/** The values that TD would learn if the code had one of these mistakes. */
const mistakes: Record<string, () => [Trajectory[], Changes]> = {
  'a discount of 1': () => [episodes, { gamma: 1 }],
  'a discount of 0.9': () => [episodes, { gamma: 0.9 }],
  'no look ahead': () => [episodes, { gamma: 0 }],
  'a truncation taken for an end': () => [
    withTurns(({ truncated, terminated }) => ({ terminated: terminated || truncated })),
    {},
  ],
  'an end that bootstraps': () => [
    withTurns(({ nextObservation, observation, terminated }) => ({
      terminated: false,
      nextObservation: terminated ? observation : nextObservation,
    })),
    {},
  ],
  'a bootstrap from the same state': () => [withTurns(({ observation }) => ({ nextObservation: observation })), {}],
  'a bootstrap from one state later': () => [
    withTurns(({ nextObservation }, i, turns) => ({
      nextObservation: turns[i + 1]?.nextObservation ?? nextObservation,
    })),
    {},
  ],
  'rewards one turn late': () => [withTurns((_, i, turns) => ({ reward: turns[i - 1]?.reward ?? 0 })), {}],
};

test.each(Object.keys(mistakes))('TD with %s is far outside', async (mistake) => {
  expect(await errorAfterTd(tableCritic(), ...mistakes[mistake](), 0.5)).toBeGreaterThan(0.1);
});

describe('the targets of ArCHer', () => {
  /** Another policy than the one that played, whose values the critic learns with importance weights. */
  const present = epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1 }), 0.25);
  let whole: Trajectory[];
  beforeAll(async () => (whole = await episodesOf(policy, 6000, 100)));

  const weightsOf = async (learnt: Iterable<Trajectory>) =>
    new Map(
      [...learnt].map((trajectory) => {
        const logprob = (table: TabularPolicy, turn: number) => {
          const { observation, action } = trajectory.transitions[turn];
          return Math.log(table[observation.trim()][action]);
        };
        const rhos = trajectory.transitions.map((_, turn) =>
          importanceWeight(logprob(present, turn), logprob(policy, turn), 100),
        );
        return [trajectory, Float32Array.from(rhos)] as const;
      }),
    );

  test.each([3, null])('td_steps = %p learns the exact values of the policy that played', async (tdSteps) => {
    expect(await errorAfterTd(tableCritic(), whole, { tdSteps }, 0.5)).toBeLessThan(0.07);
    expect(await errorAfterTd(tableCritic(), episodes, { tdSteps }, 0.5)).toBeLessThan(0.07);
  });

  test.each([3, null])('td_steps = %p with importance weights: those of another policy', async (tdSteps) => {
    const errorWith = (given: { weightsOf?: WeightsOf }) =>
      errorAfterTd(tableCritic(), whole, { tdSteps }, 0.5, { of: present, ...given });
    expect(await errorWith({ weightsOf })).toBeLessThan(0.1);
    expect(await errorWith({})).toBeGreaterThan(0.3);
  });

  test('bootstrap_on_limit = false, the original’s d = 1: where episodes are cut, values are too low', async () => {
    expect(await errorAfterTd(tableCritic(), episodes, { bootstrapOnLimit: false }, 0.5)).toBeGreaterThan(0.1);
  });
});

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

test('the critic that reads lines learns the exact Q and V too', async () => {
  const critic = await DoubleCritic.create({
    device,
    encoder: new LineEncoder(tokenizer, 16),
    rng: new Rng(0),
    outputBias: 0.5,
    optimizer: adam,
  });
  expect(await errorAfterTd(critic, episodes, { steps: 200, size: 256, tau: 0.2 }, 3e-3)).toBeLessThan(0.05);
});

const { q, v } = exactValues(towerModel, policy, { gamma });

/** Computes the largest bias: the difference of a figure's mean by state and action from its exact value. */
function largestBias(
  figures: readonly (readonly [Transition, number])[],
  exact: (state: string, action: string) => number,
) {
  return Math.max(
    ...states.flatMap((state) =>
      actions.map((action) => {
        const ofPair = figures.filter(([turn]) => turn.observation === `${state}\n` && turn.action === action);
        return Math.abs(mean(ofPair.map(([, figure]) => figure)) - exact(state, action));
      }),
    ),
  );
}

function advantages(lambda: number, { changed = episodes, discount = gamma } = {}) {
  return changed.flatMap(({ transitions }) => {
    const value = (observation: string) => v[observation.trim()] ?? 0;
    const result = gae(
      {
        rewards: Float32Array.from(transitions, ({ reward }) => reward),
        values: Float32Array.from(transitions, ({ observation }) => value(observation)),
        nextValues: Float32Array.from(transitions, ({ nextObservation }) => value(nextObservation)),
        terminated: Uint8Array.from(transitions, ({ terminated }) => Number(terminated)),
        truncated: Uint8Array.from(transitions, ({ truncated }) => Number(truncated)),
      },
      { gamma: discount, lambda },
    );
    return transitions.map((turn, i) => [turn, result.advantages[i]] as const);
  });
}
const exactAdvantage = (state: string, action: string) => q[state][action] - v[state];

test.each([0, 0.5, 0.95, 1])('GAE with the exact V has the mean Q − V, whatever λ is (%d)', (lambda) => {
  expect(largestBias(advantages(lambda), exactAdvantage)).toBeLessThan(0.05);
});

test('GAE with another discount, or with truncations taken for ends, has not', () => {
  expect(largestBias(advantages(0.95, { discount: 0.8 }), exactAdvantage)).toBeGreaterThan(0.1);
  const changed = withTurns(({ truncated }) => (truncated ? { terminated: true, truncated: false } : {}));
  expect(largestBias(advantages(0.95, { changed }), exactAdvantage)).toBeGreaterThan(0.2);
});

test('Monte-Carlo returns that bootstrap where an episode was cut have the mean Q', () => {
  const returns = (beyond: (last: Transition) => number) =>
    episodes.flatMap(({ transitions }) => {
      const all = discountedReturns(
        transitions.map(({ reward }) => reward),
        gamma,
        beyond(transitions.at(-1)!),
      );
      return transitions.map((turn, i) => [turn, all[i]] as const);
    });
  const exact = (state: string, action: string) => q[state][action];
  const bootstrapped = returns(({ truncated, nextObservation }) => (truncated ? v[nextObservation.trim()] : 0));
  expect(largestBias(bootstrapped, exact)).toBeLessThan(0.05);
  expect(
    largestBias(
      returns(() => 0),
      exact,
    ),
  ).toBeGreaterThan(0.2);
});
