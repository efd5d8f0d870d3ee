// On a game whose values are known exactly every method reaches what theory says of it. One seed here; three in
// experiments/exact_game/README.md.
import { Rng } from '@bowyer/core';
import { epsilonGreedy, optimalValues, tabularDemonstrations, towerModel } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { DoubleCritic, LineEncoder, type LanguageModel } from '@bowyer/models';
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
/** Share of the turns of the demonstrations that are random. */
const noise = 0.7;
const best = optimalValues(towerModel, { gamma: 1, horizon: maxSteps });
const optimum = exactReturn(epsilonGreedy(towerModel, best, 0));
const demonstrator = exactReturn(epsilonGreedy(towerModel, best, noise));

let device: Device;
let dataset: Dataset;
/** The weights of a policy that has imitated the demonstrator: where the online methods start. */
let start: Awaited<ReturnType<LanguageModel['copyParameters']>>;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  const played = await tabularDemonstrations({ maxSteps }, { episodes: 1000, noise, seed });
  dataset = { kind: 'episodes', episodes: datasetOf(played) };
});
afterAll(() => device.close());

const lmSchedule = { kind: 'linear', warmupSteps: 0, finalShare: null } as const;
/** Options that several online methods have. */
const online = {
  rolloutSize: 64,
  evalFreq: 1e6,
  evalSize: 1,
  evalDecoding: 'sample' as const,
  saveFreq: 1e6,
  warmupIter: 0,
  lmLr: 3e-3,
  lmLrFinalShare: 0.1,
  lmSchedule,
  actorEpochs: 4,
  maxGradNorm: 1,
  gradAccumSteps: 1,
  gradReduction: 'sum',
};
const tdCritic = {
  capacity: 4000,
  epochs: 10,
  batchSize: 192,
  criticLr: 5e-3,
  criticMaxGradNorm: 10,
  gamma: 0.95,
  tau: 0.1,
  vTargetAction: 'stored',
  tdTarget: 'own',
  actorSamples: 'rollout',
  clipScope: 'own',
  warmupIter: 10,
  vTargetSamples: 1,
  tdSteps: 1,
  bootstrapOnLimit: true,
  importanceClip: null,
  klCoefficient: 0,
  referenceQuantization: 'none',
  useBaseline: false,
  baselineLr: null,
};
/** A batch is of single turns, since each reads its state alone: about those of 20 episodes. */
const imitation = {
  epochs: 3,
  batchSize: 120,
  gradAccumSteps: 1,
  validationShare: 0,
  lmLr: 2e-2,
  maxGradNorm: 1,
  lmSchedule: { ...lmSchedule, finalShare: 0.1 },
};

/** @returns the policy that a method makes, from scratch on the dataset or else from the demonstrator's imitation */
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
  await unit.train(run, { seed, slots: 64, sampling, scoreTerminator: true, ...options });
  return policy;
}
const valueOf = async (policy: LanguageModel) => exactReturn(await tableOf(policy));

test('bc reaches its demonstrator', async () => {
  const policy = await trained('bc', imitation);
  start = await policy.copyParameters();
  expect(Math.abs((await valueOf(policy)) - demonstrator)).toBeLessThan(0.1);
});

test('filtered BC gets above it', async () => {
  const value = await valueOf(await trained('filteredbc', { ...imitation, filterQuantile: 0.8 }));
  expect(value).toBeGreaterThan(demonstrator + 0.5);
});

test('agent_evol learns from what succeeded, of the demonstrations and its own', async () => {
  const evolution = {
    ...imitation,
    batchSize: 20,
    iterations: 3,
    rolloutSize: 256,
    sampleNum: 1,
    successesPerItem: 256,
  };
  const value = await valueOf(
    await trained('agent_evol', {
      ...online,
      ...evolution,
      horizon: null,
      saveFreq: 1e6,
      successThreshold: 1,
      merge: 'newest',
      learnFrom: 'start', // only the treasure gives that much
    }),
  );
  expect(value).toBeGreaterThan(demonstrator + 1);
});

test.each([
  ['played', 0.5],
  ['all', 0],
])('dagger reaches the optimum, which the expert of the game has: labels=%s', async (labels, expertShare) => {
  const options = {
    ...online,
    iterations: 5,
    rolloutSize: 128,
    lmLr: 1e-2,
    horizon: null,
    saveFreq: 1e6,
    labels,
    expertShare,
    window: null,
    epochs: 2,
    batchSize: labels === 'all' ? 40 : 120,
    observationWeight: 0,
    scoreTerminator: false,
    sampling: { ...sampling, terminatorIds: tokenizer.encode('end\n') }, // of the expert's replies; cannot be sampled
  };
  const value = await valueOf(await trained('dagger', options));
  expect(value).toBeGreaterThan(0.98 * optimum);
});

test('archer comes within 5 % of the optimum', async () => {
  const value = await valueOf(await trained('archer', { ...online, ...tdCritic, iterations: 40 }));
  expect(value).toBeGreaterThan(0.95 * optimum);
});

test('archer without looking ahead gets below its start', async () => {
  const value = await valueOf(await trained('archer', { ...online, ...tdCritic, iterations: 25, gamma: 0 }));
  expect(value).toBeLessThan(demonstrator);
});
