// The logger as a run uses it.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Trajectory } from '@bowyer/core';
import { newFolder, WandbServer } from '@bowyer/testing';
import { syncRuns, type PlaceOptions } from '@bowyer/wandb';
import type { LoggedRun, LoggedStep } from '../logger.js';
import { wandbLogger } from './wandb-logger.js';

let directory: string;
let server: WandbServer;
const before = { ...process.env };
beforeEach(async () => {
  directory = newFolder();
  server = await WandbServer.start();
  for (const name of Object.keys(process.env)) if (name.startsWith('WANDB_')) delete process.env[name];
  Object.assign(process.env, {
    HOME: directory,
    WANDB_BASE_URL: server.url,
    WANDB_API_KEY: server.key,
    WANDB_TAGS: 'a, b',
    WANDB_X_FILE_STREAM_TRANSMIT_INTERVAL: '0.02',
    WANDB_X_FILE_STREAM_RETRY_WAIT_MIN_SECONDS: '0.001',
  });
});
afterEach(async () => {
  process.env = { ...before };
  await server.close();
});

const places: PlaceOptions = {
  mode: null,
  entity: null,
  project: null,
  runId: null,
  group: null,
  jobType: null,
  notes: null,
  tags: [],
};
const options = {
  ...places,
  tags: ['c'],
  metrics: [],
  episodes: 1,
  episodesEvery: 2,
  plots: [] as string[],
  artifacts: true,
  checkpoints: [],
  console: true,
  systemSeconds: 100,
  finishSeconds: 20,
};

function runOf(more: Partial<LoggedRun> = {}) {
  const said: string[] = [];
  const listeners: ((line: string, isError: boolean) => void)[] = [];
  const run: LoggedRun = {
    directory,
    project: 'p',
    name: 'a run',
    config: { seed: 3, env: { name: 'coin' } },
    inputs: [],
    resumedAfter: 0,
    note: (text) => said.push(text),
    warn: (text) => said.push(`WARNING ${text}`),
    onOutput: (listener) => {
      listeners.push(listener);
      return () => listeners.splice(0);
    },
    ...more,
  };
  return { run, said, print: (line: string) => listeners.forEach((listener) => listener(line, false)) };
}

const episode: Trajectory = {
  episode: 0,
  seed: 1,
  infos: [],
  segments: [],
  transitions: [
    { observation: 'o', action: 'go', reward: -1, nextObservation: '', terminated: true, truncated: false },
  ],
};
const step = (iteration: number): LoggedStep => ({
  iteration,
  metrics: { loss: 1 / iteration },
  seconds: { rollout: 0.5 },
  episodes: [episode],
});

test('an online run: rows, names, dialogues, images of plots, console, computer, files, and artifacts with their lineage', async () => {
  await mkdir(join(directory, 'model', 'critic'), { recursive: true });
  await writeFile(join(directory, 'model', 'critic', 'weights'), 'w');
  await writeFile(join(directory, 'data.jsonl'), '{}\n');
  const { run, said, print } = runOf({ inputs: [{ type: 'dataset', path: join(directory, 'data.jsonl') }] });
  const logger = await wandbLogger.open(run, { ...options, plots: ['loss'] });
  for (const iteration of [1, 2, 3]) await logger.log(step(iteration));
  while (!(await readdir(directory, { recursive: true })).some((path) => path.endsWith('.png'))) await sleep(20);
  await sleep(500); // the row of iteration 4 takes the image of iterations 1 to 3
  await logger.log(step(4));
  print('a line');
  await logger.close({ status: 'finished', results: { 'test/r': 2 }, model: join(directory, 'model') });
  const [[id, served]] = [...server.runs];
  expect(said).toEqual([`W&B: ${server.url}/mock_server_entity/p/runs/${id}`]);
  expect(served.created).toMatchObject({ project: 'p', displayName: 'a run', tags: ['c', 'a', 'b'] });
  expect(served.config).toMatchObject({ seed: { value: 3 }, env: { value: { name: 'coin' } } });
  const rows = server.rows(id);
  expect(rows).toMatchObject([
    { loss: 1, _step: 1 },
    { 'seconds/rollout': 0.5 },
    { loss: 1 / 3, _step: 3 },
    { loss: 1 / 4 },
  ]);
  expect(rows.slice(0, 3).map((row) => row['plots/metrics'])).toEqual([undefined, undefined, undefined]);
  const summary = JSON.parse(served.summary!) as Record<string, unknown>;
  for (const image of [rows[3]['plots/metrics'], summary['plots/metrics']] as Record<string, unknown>[]) {
    const png = served.files[image.path as string];
    expect(image).toEqual({
      _type: 'image-file',
      format: 'png',
      path: expect.stringMatching(/^media\/images\/plots\/metrics_[34]_/) as string,
      size: png.length,
      sha256: createHash('sha256').update(png).digest('hex'),
      width: 880,
      height: 480,
    });
    // Signature, and the size in the first chunk: PNG specification, sections 5.2 and 11.2.2.
    expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', 880, 480]);
  }
  const { path, ncols, nrows } = rows[0]['rollout/dialogues'] as Record<string, unknown>;
  expect([ncols, nrows, JSON.parse(served.files[path as string].toString())]).toEqual([
    6,
    1,
    { columns: ['episode', 'return', 'turn', 'observation', 'action', 'reward'], data: [[0, -1, 0, 'o', 'go', -1]] },
  ]);
  expect(Object.keys(served.files).filter((name) => name.endsWith('.png'))).toHaveLength(2);
  expect(Object.keys(served.files)).toEqual(
    expect.arrayContaining(['config.yaml', 'wandb-metadata.json', 'wandb-summary.json', 'output.log']),
  );
  expect(served.streams['output.log'].at(-1)).toMatch(/ a line\n$/);
  expect(JSON.parse(served.streams['wandb-events.jsonl'][0])).toMatchObject({
    _wandb: true,
    'system.cpu': expect.any(Number) as number,
  });
  expect(JSON.parse(served.summary!)).toMatchObject({ loss: 1 / 4, 'test/r': 2 });
  const artifacts = [...server.artifacts.values()].map(({ input, committed, usedBy, files }) => [
    input.artifactCollectionName,
    committed,
    usedBy,
    Object.keys(files),
  ]);
  expect(artifacts).toEqual([
    ['dataset-data.jsonl', true, [id], ['data.jsonl']],
    [`run-${id}-model`, true, [], ['critic/weights']],
  ]);
  expect(served).toMatchObject({ complete: true, exitcode: 0 });
  // No file of the run has the key.
  const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  for (const file of files)
    expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toMatch(/kkkkkkkk|YXBpOmtra/);
});

test('checkpoints are versions of two artifacts, also when answers are lost and the run has removed its own', async () => {
  const folder = join(directory, 'checkpoints', 'best');
  await mkdir(folder, { recursive: true });
  const asked = new Set<string>();
  server.fault = (what) => (/Artifact/.test(what) && !asked.has(what) && asked.add(what) ? 'lost' : null);
  const logger = await wandbLogger.open(runOf().run, { ...options, checkpoints: ['best', 'last'] });
  for (const [iteration, kind] of [
    [1, 'best'],
    [2, 'last'],
    [3, 'best'],
  ] as const) {
    for (const name of ['weights.safetensors', 'config.json'])
      await writeFile(join(folder, name), `${name} ${iteration}`);
    await logger.checkpoint!({ kind, iteration, folder, score: iteration });
    for (const name of ['weights.safetensors', 'config.json']) await rm(join(folder, name));
    await logger.log(step(iteration));
  }
  await logger.close({ status: 'finished', results: {}, model: null });
  const [id] = server.runs.keys();
  const found = [...server.artifacts.values()].map(({ input, committed, files }) => [
    input.artifactTypeName,
    input.artifactCollectionName,
    (input.aliases as { alias: string }[]).map(({ alias }) => alias),
    committed,
    files['config.json'].toString(),
  ]);
  expect(found).toEqual([
    ['model', `run-${id}-model`, ['latest', 'best', 'iteration-1'], true, 'config.json 1'],
    ['checkpoint', `run-${id}-checkpoint`, ['latest', 'iteration-2'], true, 'config.json 2'],
    ['model', `run-${id}-model`, ['latest', 'best', 'iteration-3'], true, 'config.json 3'],
  ]);
  const left = await readdir(directory, { recursive: true });
  expect(left.filter((path) => path.endsWith('.safetensors'))).toEqual([]); // copies go when they have been sent
});

test('artifacts are uploaded while rows are: what has been sent is saved by one after the other', async () => {
  process.env.WANDB_X_FILE_STREAM_TRANSMIT_INTERVAL = '0.001';
  const folder = join(directory, 'checkpoints', 'last');
  await mkdir(folder, { recursive: true });
  const { run, said, print } = runOf();
  const logger = await wandbLogger.open(run, { ...options, checkpoints: ['last'] });
  print('a line');
  for (let iteration = 1; iteration <= 40; iteration++) {
    await writeFile(join(folder, 'config.json'), `{"iteration": ${iteration}}`);
    await logger.checkpoint!({ kind: 'last', iteration, folder, score: iteration });
    await logger.log(step(iteration));
  }
  await logger.close({ status: 'finished', results: {}, model: null });
  expect(said.filter((line) => line.startsWith('WARNING'))).toEqual([]);
  const [id] = server.runs.keys();
  expect([server.rows(id).length, server.artifacts.size]).toEqual([40, 40]);
});

test('an artifact that the server refuses is tried again by the next sender', async () => {
  server.fault = (what) => (what === 'CommitArtifact' ? { status: 400 } : null);
  await mkdir(join(directory, 'model'));
  await writeFile(join(directory, 'model', 'weights'), 'w');
  const { run, said } = runOf();
  const logger = await wandbLogger.open(run, options);
  await logger.close({ status: 'finished', results: {}, model: join(directory, 'model') });
  expect(said.join()).toContain('was not uploaded');
  server.fault = () => null;
  const [{ outcome }] = await syncRuns(directory, {
    env: process.env,
    note: () => {},
    warn: () => {},
  });
  expect([outcome, [...server.artifacts.values()].map(({ committed }) => committed)]).toEqual(['sent', [true]]);
});

test('a killed run that logs its iterations again has each of them once; offline runs are sent later', async () => {
  process.env.WANDB_MODE = 'offline';
  const first = runOf();
  const killed = await wandbLogger.open(first.run, options);
  for (const iteration of [1, 2, 3]) await killed.log(step(iteration));
  const second = runOf({ resumedAfter: 1 });
  const resumed = await wandbLogger.open(second.run, { ...options, plots: ['loss'] });
  for (const iteration of [2, 3, 4]) await resumed.log(step(iteration));
  await resumed.close({ status: 'stopped', results: {}, model: null });
  expect(server.requests).toEqual([]);
  const sync = { env: process.env, note: () => {}, warn: () => {} };
  expect(await syncRuns(directory, sync)).toMatchObject([{ outcome: 'sent' }]);
  expect(await syncRuns(directory, sync)).toMatchObject([{ outcome: 'was sent before' }]);
  const [[id, served]] = [...server.runs];
  expect(server.rows(id).map(({ _step }) => _step)).toEqual([1, 2, 3, 4]);
  expect(served.summary).toContain('image-file');
  expect(Object.keys(served.files).filter((name) => name.endsWith('.png'))).not.toEqual([]);
  expect(served).toMatchObject({ complete: true, exitcode: 255 });
  process.env.WANDB_RUN_ID = 'other';
  await expect(wandbLogger.open(runOf().run, options)).rejects.toThrow(
    `is the W&B run ${id} already, not other\n` +
      '  leave out WANDB_RUN_ID and logger.wandb.run_id, or begin in another folder: save_path=FOLDER',
  );
  await expect(syncRuns(join(directory, 'none'), sync)).rejects.toThrow('there is no run of W&B in');
  await killed.close({ status: 'stopped', results: {}, model: null });
});

test('disabled: nothing is written', async () => {
  const logger = await wandbLogger.open(runOf().run, { ...options, mode: 'disabled' });
  await logger.log(step(1));
  await logger.close({ status: 'finished', results: {}, model: null });
  expect(await readdir(directory)).toEqual([]);
});

test('without a key the check says where to get one, and how to go without', () => {
  delete process.env.WANDB_API_KEY;
  expect(() => wandbLogger.check!({ project: 'p', name: 'n' }, options)).toThrow(
    `W&B needs a key for ${server.url}, and there is none in WANDB_API_KEY nor in ~/.netrc\n` +
      `  copy it from ${server.url}/authorize and set WANDB_API_KEY; or write logger.wandb.mode=offline, and send the run ` +
      'later with: npx bowyer --config-name wandb_sync task.dir=FOLDER',
  );
});
