// Tests that every algorithm has a page with the same headings, which documents exactly the metrics that a run logs, and that its
// schema declares exactly the options that a run reads.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { TObject } from '@sinclair/typebox';
import { flatNames, isGroup, Rng, toCamelCase, withDefaults } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { DoubleCritic, LanguageModel, LineEncoder } from '@bowyer/models';
import { demonstrationTrajectory, trainingRun } from '../src/index.js';
import { algorithmNames, findAlgorithm } from '../src/registry.js';
import { knownOptions } from './known-options.js';
import { colours, EchoGame, maskedTokenIds, terminatorId, tokenizer } from './echo-game.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const headings = ['What it is', 'How to run it', 'Logged metrics', 'Details that differ from the paper', 'Results'];
/** The page of each algorithm is in the folder of its family, together with its code. */
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

test.each(algorithmNames())('%s: the page names options by their paths', (name) => {
  const paths = new Map(flatNames(findAlgorithm(name)!.options as TObject, ''));
  const prose = pages.get(name)!.replace(/^```[^]*?^```/gm, '');
  const named = [...prose.matchAll(/`(\w+)(?:[=:][^`]*)?`/g)].map(([, word]) => word);
  expect(named.filter((word) => (paths.get(word) ?? word) !== word)).toEqual([]);
});

const play = {
  seed: 0,
  slots: 4,
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [terminatorId] },
};
/** Small runs in which all terms of an algorithm's losses are on. */
const small = {
  iterations: 1,
  rollout: { size: 4, groupSize: 2 },
  eval: { freq: 1, size: 4, decoding: 'sample', validationShare: 0.4 },
  epochs: 1,
  batch: { size: 4, accumulationSteps: 1 },
  critic: { steps: 1, vTarget: { action: 'stored' } },
  replay: { importanceClip: 10 },
  actor: {
    steps: 1,
    epochs: 1,
    minibatchSize: 4,
    warmupIterations: 0,
    warmupEpochs: 0,
    samples: 'rollout',
    baseline: { enabled: true, lr: 1e-3 },
    targetKl: 1,
    updateKl: 1,
    learnFrom: 'current',
  },
  loss: { entropyCoefficient: 0.01 },
  kl: { coefficient: 0.1, in: 'loss', adaptiveTarget: 1 },
  advantage: { level: 'token', baseGroup: true },
  teacher: 'frozen copy',
  success: { threshold: -3, merge: 'cumulative' },
  filter: { quantile: 0.5 },
  window: 2,
};

const optionsOf = (schema: TObject) => ({
  ...play,
  ...withDefaults<TObject>(schema, knownOptions(schema, small) as never),
});

/** Lists the paths of all options. */
const pathsIn = ({ properties }: TObject, place = ''): string[] =>
  Object.entries(properties).flatMap(([key, member]) => {
    const path = `${place}${toCamelCase(key)}`;
    return isGroup(member) ? pathsIn(member, `${path}.`) : [path];
  });

/** Returns whether a metric is documented but not logged in the echo game. */
const elsewhere = (metric: string) =>
  /\/(invalid|repeated)_share$/.test(metric) || ['losses/perplexity', 'eval/perplexity', 'tokens'].includes(metric);

/** Returns the same options, and notes the paths of those that are read. Copying a group counts as reading its options. */
const recording = <T extends object>(options: T, read: Set<string>, place = ''): T =>
  new Proxy(options, {
    get(target, key, receiver) {
      const value = Reflect.get(target, key, receiver) as unknown;
      const path = `${place}${String(key)}`;
      if (value !== null && typeof value === 'object' && !Array.isArray(value))
        return recording(value, read, `${path}.`);
      if (value !== undefined) read.add(path); // an option of another algorithm, whose presence shared code checks
      return value;
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
    const options = optionsOf(unit.options as TObject);
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
    const isPlay = (path: string) => /^(seed|slots|maxFailureShare|sampling\b.*)$/.test(path);
    // The final test reads how tokens are chosen, even if the algorithm does not evaluate.
    const declared = pathsIn(unit.options as TObject).filter((path) => path !== 'eval.decoding' || read.has(path));
    expect([...read].filter((path) => !isPlay(path)).sort()).toEqual(declared.sort());
    expect(new Set(documented).size).toBe(documented.length);
  },
);

test('a player reads only what the unit declares for it', async () => {
  for (const name of algorithmNames()) {
    const unit = findAlgorithm(name)!;
    const read = new Set<string>();
    const policy = { tokenizer } as unknown as LanguageModel;
    unit.openPlayer(trainingRun({ policy }), recording(optionsOf(unit.options as TObject), read));
    const declared = unit.playerOptions.map(toCamelCase);
    expect([...read].filter((key) => key !== 'slots')).toEqual(declared);
  }
});
