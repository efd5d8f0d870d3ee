// Tests ArCHer's choices of the critic's target against the exact values of the tabular game.
import { importanceWeight, ReplayBuffer, Rng, withDefaults, type Trajectory } from '@bowyer/core';
import { epsilonGreedy, optimalValues, towerModel, type TabularPolicy } from '@bowyer/envs';
import { chai, type ReplayItem } from '../index.js';
import { SharedClip } from './shared-clip.js';
import { insertTurns } from '../rollout/replay.js';
import { updateCritic } from './critic.js';
import { criticError, episodesOf, sampling, tableCritic } from '../../test/exact-game.js';

const best = optimalValues(towerModel, { gamma: 1 });
/** The policy that played, and the policy whose values the critic learns. */
const [older, present] = [epsilonGreedy(towerModel, best, 0.5), epsilonGreedy(towerModel, best, 0.25)];
const gamma = 0.95;

let whole: Trajectory[];
let cut: Trajectory[];
beforeAll(async () => {
  whole = await episodesOf(older, 6000, 100);
  cut = await episodesOf(older, 6000, 4);
});

const options = withDefaults(chai.options, {
  batch: { size: 500, accumulationSteps: 1 },
  critic: { steps: 50, maxGradNorm: 10, tau: 0.5, vTarget: { action: 'stored' } },
});
type Changes = Partial<Pick<(typeof options)['critic'], 'tdSteps' | 'bootstrapOnLimit'>>;

/** Computes ρ from the two tables. */
const weightsOf = async (episodes: Iterable<Trajectory>) =>
  new Map(
    [...episodes].map((trajectory) => {
      const logprob = (policy: TabularPolicy, turn: number) => {
        const { observation, action } = trajectory.transitions[turn];
        return Math.log(policy[observation.trim()][action]);
      };
      const rhos = trajectory.transitions.map((_, turn) =>
        importanceWeight(logprob(present, turn), logprob(older, turn), 100),
      );
      return [trajectory, Float32Array.from(rhos)] as const;
    }),
  );

/** Computes the largest error of Q and V as values of `policy`, after learning from the older policy's episodes. */
async function errorOf(policy: TabularPolicy, episodes: readonly Trajectory[], changes: Changes, weighted: boolean) {
  const replay = new ReplayBuffer<ReplayItem>(100_000);
  insertTurns(replay, episodes);
  const critic = tableCritic();
  const openPlayer = () => Promise.reject(new Error('stored actions need no fresh ones'));
  const learner = { critic, replay, clip: new SharedClip('own'), hooks: { progress: () => {} }, openPlayer };
  for (const lr of [0.5, 0.03]) {
    const update = { ...options, critic: { ...options.critic, ...changes, lr }, slots: 64, sampling };
    await updateCritic(learner, new Rng(1), update, weighted ? weightsOf : null);
  }
  return criticError(critic, policy, gamma);
}

test.each([3, null])('td_steps = %p learns the exact values of the policy that played', async (tdSteps) => {
  expect(await errorOf(older, whole, { tdSteps }, false)).toBeLessThan(0.07);
  expect(await errorOf(older, cut, { tdSteps }, false)).toBeLessThan(0.07);
});

test.each([3, null])('td_steps = %p with importance weights: those of another policy', async (tdSteps) => {
  expect(await errorOf(present, whole, { tdSteps }, true)).toBeLessThan(0.1);
  expect(await errorOf(present, whole, { tdSteps }, false)).toBeGreaterThan(0.3);
});

test('bootstrap_on_limit = false, the original’s d = 1: where episodes are cut, values are too low', async () => {
  expect(await errorOf(older, cut, { bootstrapOnLimit: false }, false)).toBeGreaterThan(0.1);
});
