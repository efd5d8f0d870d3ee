// Tests that every method reaches the theoretical result on a game whose values are known exactly. One seed is tested here, and
// three in experiments/exact_game/README.md.
import { Rng } from '@bowyer/core';
import { epsilonGreedy, optimalValues, tabularDemonstrations, towerModel } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic, LineEncoder, type LanguageModel } from '@bowyer/models';
import { whenExhaustive } from '@bowyer/testing';
import { findAlgorithm, trainingRun, type Dataset } from '../src/index.js';
import {
  adam,
  datasetOf,
  exactReturn,
  makeGame,
  makePolicy,
  maxSteps,
  sampling,
  tableOf,
  tokenizer,
} from './exact-game.js';

const seed = 0;
/** The share of random turns in the demonstrations. */
const noise = 0.7;
const best = optimalValues(towerModel, { gamma: 1, horizon: maxSteps });
const optimum = exactReturn(epsilonGreedy(towerModel, best, 0));
const demonstrator = exactReturn(epsilonGreedy(towerModel, best, noise));

const device = await openDevice({ device: 'cpu', threads: 1 });
/** The weights of a policy that has imitated the demonstrator, with which the online methods start. */
let start: Awaited<ReturnType<LanguageModel['copyParameters']>>;
const played = await tabularDemonstrations({ maxSteps }, { episodes: 1000, noise, seed });
const dataset: Dataset = { kind: 'episodes', episodes: datasetOf(played) };
afterAll(() => device.close());

const schedule = { kind: 'linear', finalShare: 0.1 } as const;
/** Options that several online methods have. */
const loop = { rollout: { size: 64 }, eval: { freq: 1e6, size: 1 }, saveFreq: 1e6 };
const archer = {
  ...loop,
  gamma: 0.95,
  actor: { lr: 3e-3, schedule, steps: 4, samples: 'rollout', warmupIterations: 10 },
  batch: { size: 192, accumulationSteps: 1, reduction: 'sum' },
  critic: { steps: 10, lr: 5e-3, maxGradNorm: 10, tau: 0.1, tdTarget: 'own', vTarget: { action: 'stored' } },
  replay: { capacity: 4000 },
  clipScope: 'own',
};
/** A batch consists of single turns, about those of 20 episodes, since each turn depends only on its state. */
const imitation = {
  epochs: 3,
  batch: { size: 120, accumulationSteps: 1 },
  actor: { lr: 2e-2, schedule },
};

/**
 * Trains a policy with a method.
 *
 * @returns the trained policy; it starts from scratch if the method learns from the dataset, else with the demonstrator's
 *   imitation
 */
async function trained(name: string, options: object): Promise<LanguageModel> {
  const unit = findAlgorithm(name)!;
  const policy = await makePolicy(device, seed);
  if (unit.needs.source === 'episodes') await policy.restoreParameters(start);
  const critic =
    unit.needs.critic &&
    (await DoubleCritic.create({
      device,
      encoder: new LineEncoder(tokenizer, 16),
      rng: new Rng(seed),
      outputBias: 0,
      optimizer: adam,
    }));
  const restoreStart = async () => {
    await policy.restoreParameters(start);
    await policy.createOptimizer(adam);
  };
  const run = trainingRun({ policy, critic, makeEnv: makeGame, dataset, restoreStart });
  await unit.train(run, { seed, slots: 64, sampling, ...options });
  return policy;
}
const valueOf = async (policy: LanguageModel) => exactReturn(await tableOf(policy));

test('bc reaches its demonstrator', async () => {
  const policy = await trained('bc', imitation);
  start = await policy.copyParameters();
  expect(Math.abs((await valueOf(policy)) - demonstrator)).toBeLessThan(0.1);
});

test('filtered BC gets above it', async () => {
  const value = await valueOf(await trained('filteredbc', { ...imitation, filter: { quantile: 0.8 } }));
  expect(value).toBeGreaterThan(demonstrator + 0.5);
});

test('agent_evol learns from what succeeded, of the demonstrations and its own', async () => {
  const value = await valueOf(
    await trained('agent_evol', {
      ...loop,
      iterations: 3,
      rollout: { size: 256, groupSize: 1 },
      batch: { size: 20, accumulationSteps: 1 },
      actor: { lr: 2e-2, schedule, epochs: 3, learnFrom: 'start' },
      success: { threshold: 1, perItem: 256, merge: 'newest' }, // only the treasure gives this reward
    }),
  );
  expect(value).toBeGreaterThan(demonstrator + 1);
});

test.each([
  ['played', 0.5],
  ['all', 0],
])('dagger reaches the optimum, which the expert of the game has: labels=%s', async (labels, expertShare) => {
  const options = {
    ...loop,
    iterations: 5,
    rollout: { size: 128 },
    expert: { labels, share: expertShare },
    actor: { lr: 1e-2, schedule, epochs: 2, scoreTerminator: false },
    batch: { size: labels === 'all' ? 40 : 120, accumulationSteps: 1 },
    // the expert's replies end with this text, which is masked in sampling
    sampling: { ...sampling, terminatorIds: tokenizer.encode('end\n') },
  };
  const value = await valueOf(await trained('dagger', options));
  expect(value).toBeGreaterThan(0.98 * optimum);
});

test('archer comes within 5 % of the optimum', async () => {
  const value = await valueOf(await trained('archer', { ...archer, iterations: 40 }));
  expect(value).toBeGreaterThan(0.95 * optimum);
});

// exact-values.test.ts has a critic that does not look ahead.
whenExhaustive().test('archer without looking ahead gets below its start', async () => {
  const value = await valueOf(await trained('archer', { ...archer, iterations: 25, gamma: 0 }));
  expect(value).toBeLessThan(demonstrator);
});
