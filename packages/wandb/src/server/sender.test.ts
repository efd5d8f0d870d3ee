// Sending against a server that answers as recorded and misbehaves: every line must arrive once.
import { jest } from '@jest/globals';
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder, WandbServer, type Fault } from '@bowyer/testing';
import { figuresOf } from '../log/figures.js';
import { MetricDefinitions } from '../log/metric-definitions.js';
import { timestampOf, type LogRecord } from '../log/records.js';
import { RunLog } from '../log/run-log.js';
import { ADVICE } from '../place/advice.js';
import { placeOf, type RunPlace } from '../place/run-place.js';
import { startSending, type SendOptions } from './send-run.js';

let directory: string;
let server: WandbServer;
let said: string[];
beforeEach(async () => {
  directory = newFolder();
  server = await WandbServer.start();
  said = [];
});
afterEach(async () => {
  await server.close();
});

const fixtures = join(import.meta.dirname, '../../test/fixtures');
const fast = {
  WANDB_X_FILE_STREAM_TRANSMIT_INTERVAL: '0.03',
  WANDB_X_FILE_STREAM_RETRY_WAIT_MIN_SECONDS: '0.001',
  WANDB_X_FILE_STREAM_RETRY_WAIT_MAX_SECONDS: '0.01',
  WANDB_X_CONFIG_DEBOUNCE_SECONDS: '0',
};

const sendingOf = (place: RunPlace, more: Partial<SendOptions> = {}) =>
  startSending({
    place,
    baseUrl: server.url,
    key: server.key,
    env: fast,
    resume: null,
    refuse: null,
    onStop: () => {},
    syncCommand: ADVICE.sync,
    note: (text) => said.push(text),
    warn: (text) => said.push(`WARNING ${text}`),
    ...more,
  });

/** Sends everything of a finished log. */
async function send(place: RunPlace, more?: Partial<SendOptions>): Promise<boolean> {
  const sending = sendingOf(place, more);
  sending.end();
  return sending.done;
}

const start: LogRecord[] = [
  { header: {} },
  {
    run: {
      run_id: 'r1',
      project: 'p',
      display_name: 'a run',
      start_time: timestampOf(1e12),
      config: {
        update: [
          { key: 'lr', value_json: 'NaN' },
          { key: '_wandb', value_json: '{}' },
        ],
      },
    },
  },
];

const place = () => placeOf(join(directory, 'run-20261122_000000-r1'), 'r1');
const opened: RunLog[] = [];
async function openLog(options: ConstructorParameters<typeof MetricDefinitions>[0] = []): Promise<RunLog> {
  opened.push(await RunLog.open(place().log, start, new MetricDefinitions(options)));
  return opened.at(-1)!;
}
// Some of the logs stand for processes that are killed.
afterEach(() => Promise.all(opened.splice(0).map((log) => log.close())));

async function rowsArrived(count: number): Promise<void> {
  while (server.rows('r1').length < count) await new Promise((done) => setTimeout(done, 10));
}
test("the official client's offline run becomes the same lines that the client has sent of it when online", async () => {
  const own = placeOf(join(directory, 'offline-run-20261121_074826-k3v9q2xm'), 'k3v9q2xm');
  await cp(join(fixtures, 'offline-run.wandb'), own.log);
  expect(await send(own)).toBe(true);
  const recorded = (await readFile(join(fixtures, 'online-conversation.jsonl'), 'utf8')).trim().split('\n');
  const conversation = recorded.map(
    (line) =>
      JSON.parse(line) as {
        graphql?: string;
        variables: { config: string };
        file_stream?: string;
        body: { files?: Record<string, { content: string[] }> };
      },
  );
  const streams: Record<string, string[]> = {};
  for (const { body } of conversation.filter(({ file_stream }) => file_stream))
    for (const [name, { content }] of Object.entries(body.files ?? {})) (streams[name] ??= []).push(...content);
  // Each run has its own clock and its own ids of artifacts.
  const plain = (line: string) =>
    line
      .replaceAll(/"(_timestamp|_runtime|runtime)": [\d.]+/g, '"$1": 0')
      .replaceAll(/artifact:\/\/\w+/g, 'artifact://ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+/g, 'TIME');
  const run = server.runs.get('k3v9q2xm')!;
  expect(run.streams['wandb-history.jsonl'].map(plain)).toEqual(streams['wandb-history.jsonl'].map(plain));
  expect(run.streams['output.log'].map(plain)).toEqual(streams['output.log'].map(plain));
  expect(plain(run.summary!)).toBe(plain(streams['wandb-summary.json'].at(-1)!));
  const { config } = conversation.filter(({ graphql }) => graphql === 'UpsertBucket').at(-1)!.variables;
  const values = (tree: object) =>
    Object.fromEntries(Object.entries(tree).map(([key, { value }]: [string, { value: unknown }]) => [key, value]));
  expect(values(run.config)).toMatchObject({
    ...values(JSON.parse(config) as object),
    _wandb: {
      cli_version: '0.18.7',
      m: [
        { '1': 'epoch', '6': [3] },
        { '1': 'loss', '6': [3], '7': [1] },
      ],
    },
  });
  expect(run).toMatchObject({ complete: true, exitcode: 0 });
  expect(said.join('\n')).toContain('artifact run-k3v9q2xm-preds was not uploaded'); // the artifact's file is missing on this machine
});

const faults: Record<string, (what: string, n: number) => Fault | null> = {
  'no fault': () => null,
  'the connection is cut': (_, n) => (n % 2 === 1 ? 'cut' : null),
  'the answer is lost': (_, n) => (n % 2 === 1 ? 'lost' : null),
  'too many requests': (_, n) => (n % 3 > 0 ? { status: 429, headers: { 'retry-after': '0.01' } } : null),
  'internal errors': (_, n) => (n % 2 === 1 ? { status: 500 } : null),
  'a page of a proxy': (what, n) => (what !== 'PUT' && n % 2 === 1 ? 'page' : null),
  'a slow server': () => ({ delayMs: 20 }),
};

test.each(Object.keys(faults))('%s: every point, line and file arrives once', async (name) => {
  server.fault = faults[name];
  const log = await openLog([{ name: 'eval/*', step_metric: 'steps', step_sync: true, summary: ['max'] }]);
  const sending = sendingOf(place());
  for (let step = 1; step <= 30; step++) {
    await log.history(step, figuresOf({ loss: 1 / step, ...(step % 10 === 0 && { steps: step, 'eval/r': -step }) }));
    if (step % 10 === 0) await log.output(`line ${step}`, false);
    if (step % 7 === 0) await new Promise((done) => setTimeout(done, 10));
  }
  await log.stats({ cpu: 3 });
  await log.finish(0, new Map([['test/r', '1']]));
  sending.end();
  expect(await sending.done).toBe(true);
  expect(server.contradictions).toEqual([]);
  expect(server.rows('r1').map(({ _step }) => _step)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  const { config, streams, summary, complete, exitcode } = server.runs.get('r1')!;
  expect(streams['output.log']).toHaveLength(3);
  expect(streams['output.log'][0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} line 10\n$/);
  expect(streams['wandb-events.jsonl']).toHaveLength(1);
  expect(config._wandb.value).toMatchObject({ m: [{ '1': 'steps' }, { '1': 'eval/r', '5': 1, '6': [1], '7': [2] }] });
  expect(JSON.parse(summary!)).toMatchObject({
    loss: 1 / 30,
    'eval/r': { max: -10 },
    'test/r': 1,
    _wandb: { runtime: expect.any(Number) as number },
  });
  expect({ complete, exitcode }).toEqual({ complete: true, exitcode: 0 });
});

test('a process that is killed between the request and its note on disk, and one that logs again, lose and double nothing', async () => {
  const first = await openLog();
  const sending = sendingOf(place());
  for (let step = 1; step <= 5; step++) await first.history(step, figuresOf({ loss: step }));
  await rowsArrived(5);
  sending.abort(); // as after SIGKILL
  await sending.done;
  await rm(`${place().log}.sent.json`); // the saved state is then older than the last request
  const second = await openLog();
  expect(second.lastStep).toBe(5);
  for (let step = 6; step <= 8; step++) await second.history(step, figuresOf({ loss: step }));
  await second.finish(255, new Map());
  expect(await send(place())).toBe(true);
  // The run continues after it was sent.
  const third = await openLog();
  await third.history(9, figuresOf({ loss: 9 }));
  await third.finish(0, new Map());
  expect(await send(place())).toBe(true);
  expect(server.contradictions).toEqual([]);
  expect(server.rows('r1').map(({ loss }) => loss)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(server.runs.get('r1')).toMatchObject({ complete: true, exitcode: 0 });
});

test.each([-1, 1])('the clock is set by %i day: durations and heartbeats continue', async (days) => {
  const log = await openLog();
  await log.history(1, figuresOf({ loss: 1 }));
  const sending = sendingOf(place(), { env: { ...fast, WANDB_X_FILE_STREAM_HEARTBEAT_INTERVAL: '0.02' } });
  await rowsArrived(1);
  const now = Date.now;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + days * 86_400_000);
  try {
    const before = server.requests.length;
    const started = performance.now();
    const passed = () => (performance.now() - started) / 1000;
    while (passed() < 0.3 || server.requests.length < before + 2) await new Promise((done) => setTimeout(done, 10));
    expect(log.runtime).toBeGreaterThan(0.3);
    expect(log.runtime).toBeLessThan(60 + passed());
    await log.finish(0, new Map());
    sending.end();
    expect(await sending.done).toBe(true);
  } finally {
    clock.mockRestore();
  }
});

test('a key that expires: one warning, everything on disk; a valid key sends the rest', async () => {
  const log = await openLog();
  const sending = sendingOf(place());
  await log.history(1, figuresOf({ loss: 1 }));
  await rowsArrived(1);
  const expired = server.key;
  server.key = 'n'.repeat(40);
  await log.history(2, figuresOf({ loss: 2 }));
  await log.finish(0, new Map());
  sending.end();
  expect(await sending.done).toBe(false);
  const warnings = said.filter((text) => text.startsWith('WARNING'));
  expect(warnings).toEqual([
    `WARNING W&B: the key is not valid for ${server.url}, or has expired (status 401)\n` +
      `  nothing more is sent in this process; the run is on disk\n` +
      `  with a valid WANDB_API_KEY: npx bowyer-wandb sync ${place().folder}`,
  ]);
  expect(await send(place())).toBe(true);
  expect(server.rows('r1')).toHaveLength(2);
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    const text = await readFile(join(file.parentPath, file.name), 'latin1');
    for (const key of [expired, server.key]) {
      expect(text).not.toContain(key);
      expect(text).not.toContain(Buffer.from(`api:${key}`).toString('base64').slice(8, 40));
    }
  }
});

test('a server that never answers: a warning, and the end of the run does not wait longer than it says', async () => {
  server.fault = () => 'cut';
  const log = await openLog();
  await log.finish(0, new Map());
  const sending = sendingOf(place());
  sending.end();
  while (said.length === 0) await new Promise((done) => setTimeout(done, 10));
  setTimeout(() => sending.abort(), 150);
  expect(await sending.done).toBe(false);
  expect(said).toEqual([expect.stringContaining('WARNING W&B cannot be reached: UpsertBucket: ')]);
});

test('resume=must, resume=never, and a run resumed after the lines of another run', async () => {
  const log = await openLog();
  await log.history(1, figuresOf({ loss: 1 }));
  await log.finish(0, new Map());
  expect(await send(place(), { resume: 'must' })).toBe(false);
  expect(said.pop()).toContain('WANDB_RESUME=must, and W&B has no run r1');
  expect(await send(place(), { resume: 'never' })).toBe(true);
  await rm(`${place().log}.sent.json`);
  expect(await send(place(), { resume: 'never' })).toBe(false);
  expect(await send(place(), { resume: 'allow' })).toBe(true);
  expect(server.rows('r1').map(({ _step }) => _step)).toEqual([1, 2]);
});

test('the stop button', async () => {
  server.stopped = true;
  let stops = 0;
  await (await openLog()).finish(0, new Map());
  await send(place(), { onStop: () => stops++ });
  expect(stops).toBe(1);
});
