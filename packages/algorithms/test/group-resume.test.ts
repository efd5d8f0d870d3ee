// A run that resumes from a checkpoint measures what one that was never interrupted does.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDevice, type Device } from '@bowyer/graph';
import type { LanguageModel } from '@bowyer/models';
import { findAlgorithm, trainingRun, type Metrics, type TrainingRunParts } from '../src/index.js';
import { datasetOf, makeGame, makePolicy, sampling, tablePlayer } from './exact-game.js';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ device: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'bowyer-groups-'));
});
afterAll(async () => {
  await device.close();
  await rm(folder, { recursive: true, force: true });
});

const options = {
  ...{ seed: 5, slots: 8, sampling, scoreTerminator: true, maxGradNorm: 1, maxBatchTokens: null },
  ...{
    iterations: 4,
    rolloutSize: 8,
    horizon: [[1, 3]],
    evalFreq: 2,
    evalSize: 4,
    evalDecoding: 'sample',
    saveFreq: 2,
  },
  ...{ groupSize: 4, samplingRounds: 3, invalidPenalty: 0, truncatedEpisodes: 'mask' },
  ...{ innerEpochs: 2, sequence: 'turn', minibatchSize: 8, lossAggregation: 'constant', lossDivisor: 20 },
  ...{ ratio: 'turn', clipLow: 0.2, clipHigh: 0.28, dualClip: 3, oldLogprobs: 'recomputed', targetKl: 0.05 },
  ...{ klCoefficient: 0.05, klIn: 'reward', klEstimator: 'k3', entropyCoefficient: 0.01 },
  ...{ lmLr: 1e-2, lmLrFinalShare: 0.5, lmSchedule: { kind: 'linear', warmupSteps: 1, finalShare: null } },
  ...{ scaleByStd: true, statistics: 'turn', gamma: 1, stepWeight: 1, baseline: 'none' },
};

const dpo = { beta: 0.1, pairsPerGroup: 2, minibatchSize: 2 };
const offline = {
  ...dpo,
  ...{ epochs: 3, batchSize: 4, lmSchedule: { kind: 'linear', warmupSteps: 0, finalShare: 0.1 }, pairsPerGroup: 10 },
};

test.each([
  ['gigpo', {}],
  ['dpo', dpo],
  ['opd', { teacher: 'itself at the start' }],
  ['offline_dpo', offline],
])('%s: a resumed run measures the same to the bit', async (name, changes) => {
  const unit = findAlgorithm(name)!;
  const start = await makePolicy(device, 1);
  const frozen = () => start.freeze();
  const dataset = { kind: 'episodes' as const, episodes: await episodes() };
  const train = async (policy: LanguageModel, parts: Partial<TrainingRunParts>) => {
    const logged: [number, Metrics][] = [];
    const log = async (iteration: number, metrics: Metrics) => void logged.push([iteration, { ...metrics }]);
    const hooks = { ...parts.hooks, log };
    const run = trainingRun({ policy, makeEnv: makeGame, dataset, ...parts, hooks });
    await unit.train({ ...run, openReference: frozen, openTeacher: frozen }, { ...options, ...changes });
    return logged;
  };

  const place = join(folder, `${name}.safetensors`);
  const policy = await makePolicy(device, 1);
  let saved: {
    next: number;
    state: Record<string, unknown>;
    weights: Awaited<ReturnType<typeof policy.copyParameters>>;
  };
  const state: Record<string, unknown> = {};
  const checkpoint = async (next: number) => {
    if (saved) return;
    await policy.optimizer.save(place);
    saved = { next, state: JSON.parse(JSON.stringify(state)) as typeof state, weights: await policy.copyParameters() };
  };
  const whole = await train(policy, { state, hooks: { checkpoint, checkpointDue: true } });

  const resumed = await makePolicy(device, 2);
  await resumed.restoreParameters(saved!.weights);
  await resumed.optimizer.restore(place);
  const rest = await train(resumed, { state: saved!.state, firstIteration: saved!.next });
  expect(rest.length).toBeGreaterThan(1);
  expect(rest).toEqual(whole.slice(-rest.length));
  expect(await resumed.copyParameters()).toEqual(await policy.copyParameters());
});

/** Of a player that tries everything. */
async function episodes() {
  const chances = { left: 0.4, right: 0.3, wait: 0.3 };
  const table = Object.fromEntries(['gate', 'shore', 'hall', 'bridge', 'tower'].map((state) => [state, chances]));
  const { collect } = await import('../src/index.js');
  const run = trainingRun({ policy: await makePolicy(device, 3), makeEnv: makeGame });
  const played = await collect(run, tablePlayer(table), 0, { ...options, rolloutSize: 40, horizon: null });
  return datasetOf(played.map(({ transitions }) => transitions));
}
