// On a game whose values are known exactly, methods that compare episodes come within 5 % of the optimum from the demonstrator's
// imitation, and distillation comes to its teacher. One seed here.
import { epsilonGreedy, optimalValues, tabularDemonstrations, towerModel } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { findAlgorithm, trainingRun, type Dataset, type Metrics, type TrainingRunParts } from '../index.js';
import { datasetOf, exactReturn, makeGame, makePolicy, maxSteps, sampling, tableOf } from '../../test/exact-game.js';

const seed = 0;
const optimum = exactReturn(epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1, horizon: maxSteps }), 0));
const lmSchedule = { kind: 'linear', warmupSteps: 0, finalShare: 0.1 } as const;
const play = { seed, slots: 64, sampling, scoreTerminator: true, maxGradNorm: 1, lmSchedule };
const loop = {
  iterations: 12,
  rolloutSize: 64,
  horizon: null,
  evalFreq: 1e6,
  evalSize: 1,
  evalDecoding: 'sample',
  saveFreq: 1e6,
  groupSize: 8,
  samplingRounds: 1,
  invalidPenalty: 0,
  truncatedEpisodes: 'learn',
  innerEpochs: 1,
  sequence: 'episode',
  minibatchSize: 16,
  maxBatchTokens: null,
  lossAggregation: 'token_mean',
  lossDivisor: null,
  ratio: 'token',
  clipLow: 0.2,
  clipHigh: 0.28,
  dualClip: null,
  oldLogprobs: 'sampled',
  klCoefficient: 0,
  klIn: 'loss',
  klEstimator: 'k3',
  entropyCoefficient: 0.003,
  targetKl: null,
  updateKl: null,
  lmLr: 2e-2,
  lmLrFinalShare: 0.1,
  referenceQuantization: 'none',
};

let device: Device;
let dataset: Dataset;
/** The demonstrator's imitation. */
let start: Awaited<ReturnType<LanguageModel['copyParameters']>>;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  const played = await tabularDemonstrations({ maxSteps }, { episodes: 500, noise: 0.7, seed });
  dataset = { kind: 'episodes', episodes: datasetOf(played) };
  const policy = await makePolicy(device, seed);
  const imitation = { epochs: 3, batchSize: 20, gradAccumSteps: 1, lmLr: 2e-2, validationShare: 0, evalSize: 0 };
  await findAlgorithm('bc')!.train(trainingRun({ policy, dataset }), {
    ...play,
    evalFreq: 1,
    evalDecoding: 'sample',
    ...imitation,
  });
  start = await policy.copyParameters();
});
afterAll(() => device.close());

async function trained(name: string, options: object, parts: Partial<TrainingRunParts> = {}): Promise<LanguageModel> {
  const policy = await makePolicy(device, seed);
  await policy.restoreParameters(start);
  const run = trainingRun({ policy, makeEnv: makeGame, dataset, ...parts });
  await findAlgorithm(name)!.train(run, { ...play, ...loop, ...options });
  return policy;
}
const valueOf = async (policy: LanguageModel) => exactReturn(await tableOf(policy));

test.each([
  ['grpo', { scaleByStd: true, statistics: 'episode' }],
  ['reinforce_pp', { gamma: 1, baseline: 'none', groupSize: 1 }],
  ['gigpo', { scaleByStd: false, statistics: 'episode', gamma: 0.95, stepWeight: 1 }],
  [
    'hgpo',
    { scaleByStd: false, statistics: 'episode', gamma: 0.95, historyLength: 1, historyExponent: 1, baseGroup: true },
  ],
])('%s with %j comes within 5 %% of the optimum', async (name, options) => {
  expect(await valueOf(await trained(name, options))).toBeGreaterThan(0.95 * optimum);
});

test('dpo gets above its start', async () => {
  const options = { beta: 0.1, nllCoefficient: 0, pairsPerGroup: 4, minibatchSize: 8, lmLr: 1e-2 };
  const imitation = await makePolicy(device, seed);
  await imitation.restoreParameters(start);
  const before = await valueOf(imitation);
  expect(await valueOf(await trained('dpo', options))).toBeGreaterThan(before + 0.2 * optimum);
});

test('rloo does too, and opd then brings the imitation to it without rewards', async () => {
  const teacher = await trained('rloo', {});
  const value = await valueOf(teacher);
  expect(value).toBeGreaterThan(0.95 * optimum);

  const divergences: number[] = [];
  const log = async (_: number, metrics: Metrics) => void divergences.push(metrics['distillation/reverse_kl']);
  const parts = { openTeacher: () => teacher.freeze(), hooks: { log } };
  const student = await trained('opd', { teacher: 'the policy above' }, parts);
  expect(Math.abs((await valueOf(student)) - value)).toBeLessThan(0.05 * value);
  expect(divergences[0]).toBeGreaterThan(0.5);
  expect(Math.abs(divergences.at(-1)!)).toBeLessThan(0.05);
});
