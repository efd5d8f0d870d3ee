// Compares what a server receives from W&B's Python client, which sends a run that `logger=wandb` has written offline, with what
// it receives from Bowyer for the same run.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLogger, type LoggedRun } from '@bowyer/logging';
import { WandbServer } from '@bowyer/testing';
import { syncRuns } from '@bowyer/wandb';
import { caseOf, sortedJson } from '../cases.js';
import { loggedRun, loggedStep } from '../logged-run.js';
import { outputOf } from '../programs.js';
import type { Suite } from '../suite.js';

const options = {
  mode: 'offline',
  entity: null,
  project: null,
  runId: null,
  group: 'a group',
  jobType: 'train',
  notes: 'some notes',
  tags: ['café'],
  metrics: [{ name: 'eval/*', step_metric: 'losses/nll', summary: ['min', 'max'], goal: 'minimize' }],
  episodes: 1,
  episodesEvery: 1,
  plots: ['losses/nll'],
  artifacts: true,
  checkpoints: ['best'],
  console: true,
  systemSeconds: 1000,
  finishSeconds: 20,
};

/** Writes a run with metrics, dialogues, an image, console lines and three artifacts. */
async function writeRun(directory: string): Promise<void> {
  const [model, data] = [join(directory, 'model'), join(directory, 'data.jsonl')];
  mkdirSync(join(model, 'critic'), { recursive: true });
  for (const file of ['config.json', 'critic/weights']) writeFileSync(join(model, file), file);
  writeFileSync(data, '{}\n');
  const listeners: ((line: string, isError: boolean) => void)[] = [];
  const plain = loggedRun(directory, 0);
  const run: LoggedRun = {
    ...plain,
    config: { ...plain.config, lm_lr: 1e-7, none: null },
    inputs: [{ type: 'dataset', path: data }],
    onOutput: (listener) => {
      listeners.push(listener);
      return () => listeners.splice(0);
    },
  };
  const logger = await findLogger('wandb')!.open(run, options);
  for (const [iteration, nll] of [
    [1, 2.5],
    [2, 1.25],
    [3, 1],
  ]) {
    const step = loggedStep(iteration, nll, [-1]);
    await logger.log({ ...step, metrics: { ...step.metrics, 'eval/none': NaN } });
  }
  await logger.checkpoint!({ kind: 'best', iteration: 3, folder: model, score: 4 });
  writeFileSync(join(model, 'critic/weights'), 'later weights');
  for (const listener of listeners) listener('a line: naïve 🙂', false);
  await logger.close({ status: 'finished', results: { 'test/r': 2 }, model });
}

interface Received {
  readonly [what: string]: unknown;
}

/** Reads JSON with the words for numbers that JSON does not have. */
const parsed = (text: string): Record<string, unknown> =>
  JSON.parse(text.replaceAll(/(?<=[:[,]\s?)(NaN|-?Infinity)(?=[,}\]])/g, '"$1"')) as Record<string, unknown>;

/** Returns what a server has received, without the parts that belong to the client. */
function receivedBy(server: WandbServer): Received {
  const [[id, run]] = [...server.runs];
  const { created, config, summary } = run;
  const { _wandb: own, ...values } = config;
  const artifacts = [...server.artifacts.values()];
  const ofClient = /^(?:config\.yaml|requirements\.txt|wandb-metadata\.json|diff\.patch|wandb-summary\.json)$/;
  return {
    'names of the run': [
      run.entity,
      run.project,
      created.displayName,
      created.groupName,
      created.jobType,
      created.notes,
    ],
    tags: created.tags,
    config: values,
    'definitions of metrics': (own.value as { m: unknown }).m,
    history: server.rows(id),
    summary: parsed(summary ?? '{}'),
    // A line begins with the time when it was sent.
    console: run.streams['output.log'].map((line) => line.replace(/^\S+ /, '').trimEnd()),
    'system metrics': run.streams['wandb-events.jsonl'].map((line) => Object.keys(parsed(line)).sort()),
    'tables and images': Object.entries(run.files)
      .filter(([name]) => !ofClient.test(name) && name !== 'output.log')
      .map(([name, bytes]) => [name, bytes.toString('base64')])
      .sort(),
    end: [run.complete, run.exitcode],
    artifacts: artifacts.map(({ input, committed, usedBy }) => [
      input.artifactTypeName,
      input.artifactCollectionName,
      input.aliases ?? [],
      input.digest,
      input.metadata,
      committed,
      usedBy,
    ]),
    'manifests of artifacts': artifacts.map(({ manifest }) => {
      const { contents, ...rest } = parsed(manifest ?? '{}');
      const entries = Object.entries((contents ?? {}) as Record<string, { digest: string; size: number }>);
      return { ...rest, contents: entries.map(([name, { digest, size }]) => [name, digest, size]).sort() };
    }),
    'files of artifacts': artifacts.map(({ files }) =>
      Object.entries(files)
        .map(([name, bytes]) => [name, bytes.toString()])
        .sort(),
    ),
    contradictions: server.contradictions,
  };
}

async function receivedFrom(send: (env: Record<string, string>) => Promise<unknown>, home: string): Promise<Received> {
  const server = await WandbServer.start();
  try {
    await send({ WANDB_BASE_URL: server.url, WANDB_API_KEY: server.key, HOME: home });
    return receivedBy(server);
  } finally {
    await server.close();
  }
}

export default {
  title: "W&B's client",
  against: '`logger=wandb`',
  sources: [{ pip: 'wandb', version: '0.30.0' }],
  inCheck: false,
  notes:
    '`wandb sync` reads an offline run, which has each kind of record that Bowyer writes, and sends it to a server on this machine; ' +
    'a case is one thing that the server then has, which must be what it has after `wandb_sync` of Bowyer.',
  async run({ folders: [python], work }) {
    const folder = join(work, 'run');
    mkdirSync(folder);
    await writeRun(folder);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const log = join(
      folder,
      files.find((path) => /offline-run-.*\.wandb$/.test(path))!,
    );
    const sync = [join(python, 'bin/python'), join(import.meta.dirname, 'sync.py'), '--yes', log] as const;
    const found = await receivedFrom((env) => outputOf(sync, work, env), work);
    // The client marks the run as sent, and Bowyer, which sends second, removes its local copies.
    rmSync(`${log}.synced`);
    const warn = (message: string) => console.error(message);
    const expected = await receivedFrom((env) => syncRuns(folder, { env, note: () => undefined, warn }), work);
    return Object.entries(expected).map(([name, value]) => {
      const [left, right] = [sortedJson(found[name]), sortedJson(value)];
      return caseOf(name, left === right ? null : `W&B's client sends ${left}, Bowyer ${right}`);
    });
  },
} satisfies Suite;
