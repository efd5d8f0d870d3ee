// Tests learning on a game whose values are known exactly: methods that compare episodes start with the demonstrator's imitation
// and come within 5 % of the optimum, and distillation reaches its teacher. One seed is tested here.
import { epsilonGreedy, optimalValues, tabularDemonstrations, towerModel } from '@bowyer/envs';
import { openDevice } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { bc, trainingRun, type Dataset, type Metrics, type TrainingRunParts } from '../index.js';
import { findAlgorithm } from '../registry.js';
import { datasetOf, exactReturn, makeGame, makePolicy, maxSteps, sampling, tableOf } from '../../test/exact-game.js';

const seed = 0;
const optimum = exactReturn(epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1, horizon: maxSteps }), 0));
const schedule = { finalShare: 0.1 };
const loop = { seed, slots: 64, sampling, iterations: 12, eval: { freq: 1e6 }, saveFreq: 1e6 };
const surrogate = {
  actor: { lr: 2e-2, minibatchSize: 16, schedule },
  loss: { clipHigh: 0.28, entropyCoefficient: 0.003, aggregation: 'token_mean', dualClip: null },
};
const groups = { rollout: { size: 64, groupSize: 8, invalidPenalty: 0 }, ...surrogate, kl: { coefficient: 0 } };

const device = await openDevice({ device: 'cpu', threads: 1 });
const played = await tabularDemonstrations({ maxSteps }, { episodes: 500, noise: 0.7, seed });
const dataset: Dataset = { kind: 'episodes', episodes: datasetOf(played) };
const imitator = await makePolicy(device, seed);
const imitation = { epochs: 3, batch: { size: 20 }, actor: { lr: 2e-2, schedule } };
await bc.train(trainingRun({ policy: imitator, dataset }), { seed, slots: 64, sampling, ...imitation });
/** The weights of a policy that has imitated the demonstrator. */
const start = await imitator.copyParameters();
afterAll(() => device.close());

async function trained(name: string, options: object, parts: Partial<TrainingRunParts> = {}): Promise<LanguageModel> {
  const policy = await makePolicy(device, seed);
  await policy.restoreParameters(start);
  const run = trainingRun({ policy, makeEnv: makeGame, dataset, ...parts });
  await findAlgorithm(name)!.train(run, { ...loop, ...options });
  return policy;
}
const valueOf = async (policy: LanguageModel) => exactReturn(await tableOf(policy));

test.each([
  ['grpo', {}],
  ['reinforce_pp', { rollout: { size: 64, groupSize: 1 } }],
  ['gigpo', { advantage: { scaleByStd: false } }],
  ['hgpo', { advantage: { scaleByStd: false, historyLength: 1, baseGroup: true } }],
])('%s with %j comes within 5 %% of the optimum', async (name, options) => {
  expect(await valueOf(await trained(name, { ...groups, ...options }))).toBeGreaterThan(0.95 * optimum);
});

test('dpo improves on its start', async () => {
  const options = { rollout: { size: 64 }, pairsPerGroup: 4, actor: { lr: 1e-2, minibatchSize: 8, schedule } };
  const imitation = await makePolicy(device, seed);
  await imitation.restoreParameters(start);
  const before = await valueOf(imitation);
  expect(await valueOf(await trained('dpo', options))).toBeGreaterThan(before + 0.2 * optimum);
});

test('rloo improves too, and opd then distils its policy into the imitation without rewards', async () => {
  const teacher = await trained('rloo', groups);
  const value = await valueOf(teacher);
  expect(value).toBeGreaterThan(0.95 * optimum);

  const divergences: number[] = [];
  const log = async (_: number, metrics: Metrics) => void divergences.push(metrics['distillation/reverse_kl']);
  const parts = { openTeacher: () => teacher.freeze(), hooks: { log } };
  const student = await trained('opd', { ...surrogate, rollout: { size: 64 }, teacher: 'the policy above' }, parts);
  expect(Math.abs((await valueOf(student)) - value)).toBeLessThan(0.05 * value);
  expect(divergences[0]).toBeGreaterThan(0.5);
  expect(Math.abs(divergences.at(-1)!)).toBeLessThan(0.05);
});
