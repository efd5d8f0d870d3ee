import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findLogger } from '@bowyer/logging';
import { caseOf, sortedJson } from '../cases.js';
import { loggedRun, loggedStep } from '../logged-run.js';
import { outputOf } from '../programs.js';
import type { Suite } from '../suite.js';

/** Writes a run that was killed within a record of step 3 and resumed after step 1. */
async function writeRun(directory: string): Promise<void> {
  const logger = findLogger('tensorboard')!;
  const options = { dir: '.', episodes: 1, histograms: true };
  const killed = await logger.open(loggedRun(directory, 0), options);
  for (const [iteration, nll] of [
    [1, 2.5],
    [2, 99],
    [3, 98],
  ])
    await killed.log(loggedStep(iteration, nll, [-1, 4]));
  const [file] = readdirSync(directory);
  appendFileSync(join(directory, file), Buffer.from([40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]));
  const resumed = await logger.open(loggedRun(directory, 1), options);
  await resumed.log(loggedStep(2, 1.5, [-1, 4]));
  await resumed.close({ status: 'finished', results: { 'test/return': 0.75 }, model: null });
}

/** The points that every reader must find: those logged between the checkpoint and the kill are replaced. */
const scalars = {
  'losses/nll': [
    [1, 2.5],
    [2, 1.5],
  ],
  'eval/odd': [
    [1, Math.fround(-0.1)],
    [2, Infinity],
  ],
  'seconds/train': [
    [1, 1.5],
    [2, 1.5],
  ],
  'test/return': [[2, 0.75]],
};

type Found = Record<string, Record<string, unknown>>;

/** Returns the cases: what each reader must find. */
function expectations(found: Found): [name: string, found: unknown, expected: unknown][] {
  const text =
    'episode 0: return -1\n\n| observation | action | reward |\n|---|---|---|\n| a \\| b | naïve<br>🙂 | -1 |';
  const texts = {
    'episodes/0': [
      [1, text],
      [2, text],
    ],
  };
  const { event_accumulator: events, hparams, multiplexer, data_server: server } = found;
  const histograms = {
    'rollout/returns': [
      [1, 2],
      [2, 2],
    ],
  };
  return [
    ['EventAccumulator: scalars', events.scalars, scalars],
    ['EventAccumulator: histograms', events.histograms, { 'rollout/returns': [1, 2].map((at) => [at, 2, 3, 2]) }],
    ['EventAccumulator: texts', events.texts, texts],
    [
      'hparams: values',
      hparams.hparams,
      { seed: 3, 'env.name': 'maze', 'env.words': '["dog","café"]', lm_lr: 0.1, quiet: false },
    ],
    ['hparams: group and end', [hparams.group, hparams.status], ['a run', 1]],
    ...[['EventMultiplexer', multiplexer] as const, ['data server', server] as const].flatMap(
      ([name, reader]): [string, unknown, unknown][] => [
        [`${name}: scalars`, reader.scalars, scalars],
        [`${name}: histograms`, reader.histograms, histograms],
        [`${name}: texts`, reader.texts, texts],
        [`${name}: plugins`, reader.plugins, ['histograms', 'hparams', 'scalars', 'text']],
      ],
    ),
  ];
}

const suite: Suite = {
  title: "TensorBoard's readers",
  against: '`logger=tensorboard`',
  sources: [{ pip: 'tensorboard', version: '2.21.0', with: ['setuptools<81'] }],
  inCheck: false,
  notes:
    'A run that was killed in the middle of a record and resumed is read by EventAccumulator, EventMultiplexer and the data server that TensorBoard starts by itself, and by the plugin of hyperparameters; ' +
    'a case is one kind of value of one reader.',
  async run({ folders: [folder], work }) {
    await writeRun(work);
    const output = await outputOf([join(folder, 'bin/python'), join(import.meta.dirname, 'read.py'), work], work);
    const found = JSON.parse(output.replaceAll(/\b(?:Infinity|NaN)\b/g, '"$&"')) as Found;
    return expectations(found).map(([name, value, expected]) => {
      const [left, right] = [sortedJson(value), sortedJson(expected)];
      const reader = Object.entries(found).find(([, { error }]) => error !== undefined);
      const failure = value === undefined ? sortedJson(reader) : `found ${left}, expected ${right}`;
      return caseOf(name, left === right ? null : failure);
    });
  },
};

export default suite;
