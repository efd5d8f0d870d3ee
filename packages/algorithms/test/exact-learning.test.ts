// On a game whose values are known exactly every method reaches what theory says of it. One seed here; three in
// experiments/exact_game.yaml, whose results are docs/results/exact-game.md.
import { demonstrationsOf, hash32, recordOf } from '@bowyer/core';
import { epsilonGreedy, optimalValues, tabularDemonstrations, towerModel } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, LineEncoder } from '@bowyer/models';
import { Rng } from '@bowyer/core';
import { demonstrationTrajectory, findAlgorithm, trainingRun, type TrainingRunParts } from '../src/index.js';
import {
  actions,
  adam,
  exactReturn,
  makeGame,
  makePolicy,
  maxSteps,
  sampling,
  tableOf,
  tokenizer,
} from './exact-game.js';

let device: Device;
beforeAll(async () => (device = await openDevice({ device: 'cpu', threads: 1 })));
afterAll(() => device.close());

const seed = 0;
const best = epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1, horizon: maxSteps }), 0);
const optimum = exactReturn(best);
const uniform = exactReturn(epsilonGreedy(towerModel, optimalValues(towerModel, { gamma: 1 }), 1));

/** Options that several methods have. */
const loop = {
  ...{ seed, slots: 64, sampling, rolloutSize: 64, evalFreq: 1e6, evalSize: 1, evalDoSample: true, saveFreq: 1e6 },
  ...{
    warmupIter: 0,
    lmLr: 1e-2,
    lmLrFinalShare: 0.1,
    lmSchedule: { kind: 'linear', warmupSteps: 0, finalShare: null },
  },
  ...{ actorEpochs: 4, maxGradNorm: 1, scoreTerminator: true, gradAccumSteps: 1, gradReduction: 'sum' },
} as const;
const critic = {
  ...{ capacity: 4000, epochs: 10, batchSize: 128, criticLr: 1e-2, criticMaxGradNorm: 10, gamma: 0.95, tau: 0.1 },
  ...{ vTargetAction: 'stored', tdTarget: 'own', actorSamples: 'rollout', clipScope: 'own' },
} as const;

const makeCritic = () =>
  DoubleCritic.create({ device, encoder: new LineEncoder(tokenizer, 16), rng: new Rng(seed), outputBias: 0, optimizer: adam }); // prettier-ignore

/** Trains a method from scratch. @returns the exact value of the policy that it made */
async function trainedReturn(name: string, options: object, parts: Partial<TrainingRunParts> = {}): Promise<number> {
  const policy = await makePolicy(device, seed);
  const needs = findAlgorithm(name)!.needs;
  const run = trainingRun({ policy, makeEnv: makeGame, critic: needs.critic && (await makeCritic()), ...parts });
  await findAlgorithm(name)!.train(run, { ...loop, ...options });
  return exactReturn(await tableOf(policy));
}

test('archer comes within 5 % of the optimum', async () => {
  expect(await trainedReturn('archer', { ...critic, iterations: 30, warmupIter: 5 })).toBe(optimum);
});
test('archer without looking ahead stays far below', async () => {
  expect(await trainedReturn('archer', { ...critic, gamma: 0, iterations: 30, warmupIter: 5 })).toBe(optimum);
});
