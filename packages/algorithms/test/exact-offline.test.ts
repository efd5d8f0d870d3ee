// Offline methods on the tabular game, from episodes of a policy that acts at random.
import { Rng, type Trajectory } from '@bowyer/core';
import { epsilonGreedy, optimalValues, towerModel } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { DoubleCritic, LineEncoder } from '@bowyer/models';
import { demonstrationTrajectory, findAlgorithm, trainingRun, type Dataset } from '../src/index.js';
import { adam, episodesOf, exactReturn, makePolicy, maxSteps, sampling, tableOf, tokenizer } from './exact-game.js';

const values = optimalValues(towerModel, { gamma: 1, horizon: maxSteps });
const optimum = exactReturn(epsilonGreedy(towerModel, values, 0));
const random = epsilonGreedy(towerModel, values, 1);

let device: Device;
let dataset: Dataset;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  const played = await episodesOf(random, 1500, maxSteps);
  dataset = { kind: 'episodes', episodes: played.flatMap(asStored) };
});
afterAll(() => device.close());

/** As files of episodes are read where an observation has no history: every turn is a part of its own. */
const asStored = ({ transitions, episode }: Trajectory) =>
  transitions.map(({ observation, action, reward, terminated, truncated }) =>
    demonstrationTrajectory(
      { opening: observation, turns: [{ action, reply: '', reward, terminated, truncated }] },
      { tokenizer, terminatorId: 0, episode },
    ),
  );

const common = {
  ...{ slots: 64, sampling, scoreTerminator: false, epochs: 6, batchSize: 64, gradAccumSteps: 1, maxGradNorm: 1 },
  ...{
    warmupEpochs: 2,
    criticLr: 1e-2,
    criticMaxGradNorm: 10,
    gamma: 0.98,
    tau: 0.2,
    tdTarget: 'own',
    bootstrapOnLimit: true,
  },
  ...{ lmLr: 2e-2, lmSchedule: { kind: 'linear', warmupSteps: 0, finalShare: 0.1 }, evalFreq: 1, evalSize: 0 },
  ...{ evalDecoding: 'sample' as const },
};

async function valueAfter(name: string, seed: number, options: object): Promise<number> {
  const policy = await makePolicy(device, seed);
  const critic = await DoubleCritic.create({
    ...{ device, encoder: new LineEncoder(tokenizer, 16), rng: new Rng(seed), outputBias: 0.3, optimizer: adam },
  });
  const start = Date.now();
  await findAlgorithm(name)!.train(trainingRun({ policy, critic, dataset }), { ...common, seed, ...options });
  const value = exactReturn(await tableOf(policy));
  console.log(
    name,
    seed,
    value,
    optimum,
    exactReturn(random),
    Date.now() - start,
    JSON.stringify(await tableOf(policy)),
  );
  return value;
}

test.each([0, 1, 2])('iql comes within 5 %% of the optimum (seed %i)', async (seed) => {
  expect(await valueAfter('iql', seed, { expectile: 0.9, awrTemperature: 0.1, awrMaxWeight: 100 })).toBeGreaterThan(
    0.95 * optimum,
  );
});
test.each([0, 1, 2])('awr (seed %i)', async (seed) => {
  expect(await valueAfter('awr', seed, { tdSteps: null, awrTemperature: 0.1, awrMaxWeight: 100 })).toBeGreaterThan(
    0.95 * optimum,
  );
});
test.each([0, 1, 2])('offline_archer (seed %i)', async (seed) => {
  expect(await valueAfter('offline_archer', seed, { expectile: 0.9, bcCoef: 0.02 })).toBeGreaterThan(0.95 * optimum);
});
