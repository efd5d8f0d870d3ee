// Every algorithm has a page with the same headings, which documents exactly the metrics that a run logs; and its schema declares
// exactly the options that a run reads.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Rng, toCamelCase } from '@bowyer/core';
import { openDevice, type Device } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, LineEncoder } from '@bowyer/models';
import { algorithmNames, demonstrationTrajectory, findAlgorithm, trainingRun } from '../src/index.js';
import { colours, EchoGame, maskedTokenIds, terminatorId, tokenizer } from './echo-game.js';

let device: Device;
beforeAll(async () => (device = await openDevice({ device: 'cpu', threads: 1 })));
afterAll(() => device.close());

const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const headings = ['What it is', 'How to run it', 'Logged metrics', 'Details that differ from the paper', 'Results'];
/** The page of each algorithm lies beside its code, in the folder of its family. */
const source = join(import.meta.dirname, '../src');
const pages = new Map(
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => [basename(file, '.md'), readFileSync(join(source, file), 'utf8')]),
);
const sections = (name: string) => pages.get(name)!.split(/^## /m).slice(1);

test('every algorithm has a page, and every page an algorithm', () => {
  expect([...pages.keys()].sort()).toEqual(algorithmNames().sort());
});

/** Values for every option that an algorithm may have. */
const options = {
  seed: 0,
  slots: 4,
  iterations: 1,
  rolloutSize: 4,
  evalFreq: 1,
  evalSize: 4,
  evalDecoding: 'sample' as const,
  saveFreq: 1,
  horizon: null,
  validationShare: 0.4,
  capacity: 100,
  epochs: 1,
  batchSize: 4,
  gradAccumSteps: 1,
  gradReduction: 'sum',
  criticLr: 1e-3,
  gamma: 0.9,
  tau: 0.1,
  criticMaxGradNorm: 1,
  vTargetAction: 'stored',
  tdTarget: 'own',
  actorSamples: 'rollout',
  vTargetSamples: 1,
  tdSteps: 2,
  bootstrapOnLimit: true,
  importanceClip: 10,
  useBaseline: true,
  baselineLr: 1e-3,
  expectile: 0.9,
  awrTemperature: 1,
  awrMaxWeight: 20,
  bcCoefficient: 1,
  warmupEpochs: 0,
  actorEpochs: 1,
  warmupIter: 0,
  lmLr: 1e-3,
  lmLrFinalShare: 1,
  maxGradNorm: 1,
  scoreTerminator: true,
  lmSchedule: { kind: 'linear', warmupSteps: 0, finalShare: null },
  groupSize: 2,
  samplingRounds: 1,
  invalidPenalty: 0.1,
  truncatedEpisodes: 'learn',
  scaleByStd: true,
  statistics: 'episode',
  stepWeight: 1,
  historyLength: 1,
  historyExponent: 1,
  baseGroup: true,
  baseline: 'none',
  innerEpochs: 1,
  sequence: 'episode',
  minibatchSize: 4,
  maxBatchTokens: null,
  lossAggregation: 'token_mean',
  lossDivisor: null,
  ratio: 'token',
  clipLow: 0.2,
  clipHigh: 0.2,
  dualClip: 3,
  oldLogprobs: 'sampled',
  klCoefficient: 0.1,
  klIn: 'loss',
  klEstimator: 'k3',
  entropyCoefficient: 0.01,
  targetKl: 1,
  updateKl: 1,
  beta: 0.1,
  nllCoefficient: 0,
  pairsPerGroup: 1,
  teacher: 'frozen copy',
  sampleNum: 2,
  successThreshold: -3,
  successesPerItem: 2,
  merge: 'cumulative',
  learnFrom: 'current',
  clipScope: 'own',
  numCandidates: 2,
  filterQuantile: 0.5,
  filterWindow: null,
  filterMinReturn: null,
  valueFunction: 'trunk',
  valueLr: 1e-3,
  valueMaxGradNorm: 1,
  valueCoefficient: 0.5,
  valueClip: 0.2,
  expertShare: 0.5,
  window: 2,
  gaeLevel: 'token',
  lambda: 0.9,
  whitenAdvantages: true,
  adaptiveKlTarget: 1,
  referenceQuantization: 'none',
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [terminatorId] },
};

/** Documented, and not logged in the echo game. */
const elsewhere = (metric: string) =>
  /\/(invalid|repeated)_share$/.test(metric) || ['losses/perplexity', 'eval/perplexity', 'tokens'].includes(metric);

/** The same options; notes which of them are read. Copying them all counts as reading them all. */
const recording = <T extends object>(options: T, read: Set<string>): T =>
  new Proxy(options, {
    get(target, key, receiver) {
      read.add(String(key));
      return Reflect.get(target, key, receiver) as unknown;
    },
  });

test.each(algorithmNames())(
  '%s: the page has its headings and every logged metric, and the schema every option that is read',
  async (name) => {
    expect(sections(name).map((section) => section.split('\n', 1)[0])).toEqual(headings);
    const documented = [...sections(name)[2].matchAll(/^\| `([^`]+)` \|/gm)].map(([, metric]) => metric);

    const unit = findAlgorithm(name)!;
    const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
    const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(0) });
    await policy.createOptimizer(adam);
    const critic = await DoubleCritic.create({
      device,
      encoder: new LineEncoder(tokenizer, 16),
      rng: new Rng(1),
      outputBias: -1,
      optimizer: adam,
    });
    const episodes = [...colours, ...colours].map((colour, episode) => {
      const demonstration = {
        opening: `show ${colour}\n`,
        turns: [{ action: colour, reply: ' yes\n', reward: -episode }],
      };
      return demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode });
    });
    const logged = new Set<string>();
    const read = new Set<string>();
    const valueModel =
      unit.valueFunction?.(options) === 'trunk'
        ? policy
        : await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(2) });
    if (valueModel !== policy) await valueModel.createOptimizer(adam);
    await valueModel.createValueHead(adam);
    const run = trainingRun({
      policy,
      critic,
      valueModel,
      makeEnv: () => new EchoGame(),
      dataset: { kind: 'episodes', episodes },
      openTeacher: () => policy.freeze(),
      hooks: { log: async (_, metrics) => Object.keys(metrics).forEach((metric) => logged.add(metric)) },
    });
    await unit.train(run, recording(options, read));

    expect(new Set(documented.filter((metric) => !elsewhere(metric)))).toEqual(logged);
    const declared = Object.keys(unit.options.properties).map(toCamelCase);
    const play = ['seed', 'slots', 'sampling', 'maxFailureShare'];
    expect([...read].filter((key) => !play.includes(key)).sort()).toEqual(declared.sort());
    expect(new Set(documented).size).toBe(documented.length);
  },
);

test('a player reads only what the unit declares for it', async () => {
  for (const name of algorithmNames()) {
    const unit = findAlgorithm(name)!;
    const read = new Set<string>();
    const policy = { tokenizer } as unknown as LanguageModel;
    unit.openPlayer(trainingRun({ policy }), recording(options, read));
    const declared = [...unit.playerOptions].map((key) => toCamelCase(key));
    expect([...read].filter((key) => key !== 'slots')).toEqual(declared);
  }
});
