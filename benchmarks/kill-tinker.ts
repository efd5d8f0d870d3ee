// Kills serve_tinker with SIGKILL at random instants and starts it again on the same folder, while a client trains, saves, loads
// and samples. The client repeats its requests until they are answered, as Tinker's does, or dies with the server, and another
// one resumes from the last saved state. Every loss, gradient norm and sample must equal an undisturbed server's, and every
// listed checkpoint must be readable. Table in docs/reliability.md.
//   nice node --conditions=source --import tsx benchmarks/kill-tinker.ts [KILLS]
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { maximum, Rng } from '@bowyer/core';
import { builtProgram } from '@bowyer/testing';
import { openDevice } from '@bowyer/graph';
import { TinkerClient, TinkerError } from '@bowyer/tinker';
import { unpackTar } from 'modern-tar';
import { tinyBase } from '../packages/tinker/test/tiny-base.js';
import { repository } from '../packages/runner/test/command-line.js';
import { cpuMsOf } from './cpu-time.js';

const mostKills = Number(process.argv[2] ?? '60');
/** The number of steps of a client, each with ten requests or more. */
const STEPS = 8;
const directory = mkdtempSync(join(tmpdir(), 'bowyer-kill-tinker-'));
const program = builtProgram();
const rng = new Rng(Date.now() % 2 ** 32);

const device = await openDevice({ device: 'cpu', threads: 1 });
const base = await tinyBase(device);
await device.close();

const counts = { kills: 0, starting: 0, runs: 0, resumed: 0, sentAgain: 0, read: 0 };
const problems: string[] = [];

/** Finds a free port, so that clients find the restarted server at the same address. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

const port = await freePort();
const client = new TinkerClient({ baseURL: `http://127.0.0.1:${port}`, apiKey: 'tml-local' });

interface Server {
  child: ChildProcess;
  pid: number;
  /** The exit code; null after a kill. */
  ended: Promise<number | null>;
  /** Whether it listens; false if it ended before. */
  listens: Promise<boolean>;
  said: () => string;
}

function start(folder: string): Server {
  const args = ['--config-name', 'serve_tinker', `model=${base}`, `folder=${folder}`, `port=${port}`];
  const small = ['threads=1', 'slots=4', 'max_lora_rank=4', 'max_samplers=2', 'max_models=1000'];
  const child = spawn(process.execPath, [program, ...args, ...small, `save_path=${folder}-run`], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const listens = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (text += chunk.toString()).includes(' is served at ') && resolve(true));
    child.once('exit', () => resolve(false));
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { child, pid: child.pid!, ended, listens, said: () => text };
}

/** The error of a client whose process has ended with the server. */
class ClientDied extends Error {}

class Client {
  isDead = false;
  seq = 0;
  model = '';
  session = '';
  /** The last step whose state is certainly saved, and the last one that was to be saved. */
  saved = 0;
  askedToSave = 0;
  /** The client from whose state it began. */
  earlier: Client | null = null;

  /** Repeats a request until there is an answer. */
  async #persistently<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    for (let attempt = 0; ; attempt++) {
      if (this.isDead) throw new ClientDied();
      if (attempt === 1) counts.sentAgain++;
      try {
        return await send();
      } catch (error) {
        if (error instanceof TinkerError && error.status !== 429) throw error;
        await sleep(20);
      }
    }
  }

  post<Reply = Record<string, unknown>>(path: string, body: object): Promise<Reply> {
    const key = { 'x-idempotency-key': randomUUID() };
    return this.#persistently(() => client.json<Reply>('POST', path, body, key));
  }

  get<Reply>(path: string): Promise<Reply> {
    return this.#persistently(() => client.json<Reply>('GET', path));
  }

  bytes(path: string): Promise<Uint8Array> {
    return this.#persistently(async () => new Uint8Array(await (await client.send('GET', path)).arrayBuffer()));
  }

  async result<Reply = Record<string, unknown>>(id: string): Promise<Reply> {
    return this.#persistently(() => client.result<Reply>(id));
  }

  async run<Reply = Record<string, unknown>>(path: string, body: object): Promise<Reply> {
    const { request_id: id } = await this.post<{ request_id: string }>(path, body);
    return this.result<Reply>(id);
  }

  /** Sends the model's next request. @returns its future's id */
  async next(path: string, body: object): Promise<string> {
    const sent = { model_id: this.model, seq_id: ++this.seq, ...body };
    return (await this.post<{ request_id: string }>(path, sent)).request_id;
  }
}

const chunks = (tokens: number[]) => ({ chunks: [{ type: 'encoded_text', tokens }] });

function lossInput(tokens: number[]): object {
  const target_tokens = { data: tokens.slice(1), dtype: 'int64', shape: [tokens.length - 1] };
  const datum = { model_input: chunks(tokens.slice(0, -1)), loss_fn_inputs: { target_tokens } };
  return { data: [datum], loss_fn: 'cross_entropy' };
}

const probe = { forward_input: lossInput([5, 6, 7, 8, 9]) };
const adam = { adam_params: { learning_rate: 0.01 } };
const latestOf = (model: string) => `tinker://${model}/weights/latest`;

/**
 * The results of a step, as JSON. Samples have only their tokens, since a prompt in the cache changes the last bits of
 * log-probabilities.
 */
interface Heard {
  losses: string[];
  /** The losses of the probe at the end of the step, which identify its state. */
  probe: string;
  samples: string[];
}

/**
 * Makes a step of training, whose state replaces the saved one, then a step in another direction, which is undone by loading.
 * Requests are sent before the results of earlier ones arrive.
 */
async function step(of: Client, number: number): Promise<Heard> {
  const train = { forward_backward_input: lossInput([5, 6, 7, 8 + number]) };
  const stray = { forward_backward_input: lossInput([20, 9, 8 + number, 5]) };
  const sent = [await of.next('forward_backward', train), await of.next('optim_step', adam)];
  of.askedToSave = number;
  const save = await of.next('save_weights', { path: 'latest', overwrite: true });
  sent.push(await of.next('forward_backward', stray), await of.next('optim_step', adam));
  const load = await of.next('load_weights', { path: latestOf(of.model), optimizer: true });
  const probed = await of.next('forward', probe);
  const sampler = await of.next('save_weights_for_sampler', { sampling_session_seq_id: number });
  const losses: string[] = [];
  for (const id of sent) losses.push(JSON.stringify(await of.result(id)));
  await of.result(save);
  of.saved = number;
  await of.result(load);
  const { sampling_session_id } = await of.result<{ sampling_session_id: string }>(sampler);
  const sampling = { sampling_session_id, prompt: chunks([5, 6, 7]), sampling_params: { max_tokens: 6, seed: number } };
  const samples: string[] = [];
  for (let seq_id = 0; seq_id < 2; seq_id++) {
    const { sequences } = await of.run<{ sequences: { tokens: number[] }[] }>('asample', { ...sampling, seq_id });
    samples.push(JSON.stringify(sequences.map(({ tokens }) => tokens)));
  }
  return { losses, probe: JSON.stringify(await of.result(probed)), samples };
}

async function newSession(of: Client): Promise<void> {
  const body = { tags: [], user_metadata: null, sdk_version: '0.26.2' };
  of.session = (await of.post<{ session_id: string }>('create_session', body)).session_id;
}

const fresh = (of: Client, seed: number) => ({
  session_id: of.session,
  model_seq_id: 0,
  base_model: 'tiny',
  lora_config: { rank: 2, seed },
});

async function begin(): Promise<Client> {
  const of = new Client();
  current = of;
  await newSession(of);
  of.model = (await of.run<{ model_id: string }>('create_model', fresh(of, 1))).model_id;
  return of;
}

/** The current client, which may die with the server. */
let current: Client;

/** Makes a client with the saved state of one that died. @returns the client and the step of its state */
async function resume(died: Client, truth: readonly Heard[]): Promise<{ of: Client; from: number }> {
  const of = new Client();
  of.earlier = died;
  current = of;
  await newSession(of);
  const path = latestOf(died.model);
  const state = { path, optimizer: true };
  if (rng.uniform() < 0.5) {
    of.model = (await of.run<{ model_id: string }>('create_model', fresh(of, 2))).model_id;
    await of.result(await of.next('load_weights', state));
  } else {
    const made = { session_id: of.session, model_seq_id: 0, ...state };
    of.model = (await of.run<{ model_id: string }>('load_weights', made)).model_id;
  }
  await of.run('unload_model', { model_id: died.model });
  const loaded = JSON.stringify(await of.result(await of.next('forward', probe)));
  counts.resumed++;
  const possible = truth.slice(0, died.askedToSave).map(({ probe }) => probe);
  const from = possible.indexOf(loaded, Math.max(0, died.saved - 1)) + 1;
  if (from > 0) return { of, from };
  problems.push(
    `steps ${died.saved} to ${died.askedToSave} were saved with ${possible.slice(died.saved - 1).join(' or ')}, and ${loaded} was loaded`,
  );
  return { of, from: died.saved };
}

function compare(number: number, heard: Heard, expected: Heard): void {
  for (const part of ['losses', 'probe', 'samples'] as const)
    if (JSON.stringify(heard[part]) !== JSON.stringify(expected[part]))
      problems.push(
        `step ${number}, ${part}: ${JSON.stringify(heard[part]).slice(0, 300)} is not ${JSON.stringify(expected[part]).slice(0, 300)}`,
      );
}

/**
 * Trains a client, which others resume if it dies.
 *
 * @param truth the results of an undisturbed client; not given for that client
 */
async function training(truth?: readonly Heard[]): Promise<Heard[]> {
  const all: Heard[] = [];
  let [of, number] = [await untilBegun(), 0];
  while (number < STEPS)
    try {
      const heard = await step(of, ++number);
      if (truth) compare(number, heard, truth[number - 1]);
      all.push(heard);
    } catch (error) {
      if (!(error instanceof ClientDied)) throw error;
      ({ of, from: number } = await untilResumed(of, truth!));
    }
  return all;
}

async function untilBegun(): Promise<Client> {
  for (;;)
    try {
      return await begin();
    } catch (error) {
      if (!(error instanceof ClientDied)) throw error;
    }
}

/** Makes clients until one survives, since each may die too. Without a saved state it begins again. */
async function untilResumed(died: Client, truth: readonly Heard[]): Promise<{ of: Client; from: number }> {
  for (;;)
    try {
      let source: Client | null = died;
      while (source !== null && source.saved === 0 && !(await hasState(source))) source = source.earlier;
      return source === null ? { of: await begin(), from: 0 } : await resume(source, truth);
    } catch (error) {
      if (!(error instanceof ClientDied)) throw error;
    }
}

async function hasState(died: Client): Promise<boolean> {
  if (died.model === '') return false;
  const of = (current = new Client());
  return (await listed(of)).some(({ tinker_path: path }) => path === latestOf(died.model));
}

interface Listed {
  tinker_path: string;
  checkpoint_type: string;
}

const listed = async (of: Client): Promise<Listed[]> =>
  (await of.get<{ checkpoints: Listed[] }>('checkpoints?limit=1000')).checkpoints;

/** Returns whether a safetensors file is complete, from the end of the last tensor in its header. */
function isWhole(file: Uint8Array): boolean {
  const size = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + size))) as Record<
    string,
    { data_offsets?: number[] }
  >;
  const ends = Object.values(header).map(({ data_offsets: offsets }) => offsets?.[1] ?? 0);
  return file.length === 8 + size + maximum([0, ...ends]);
}

/** Reads all listed checkpoints, which must be complete. */
async function readListed(): Promise<void> {
  const of = new Client();
  for (const { tinker_path: path } of await listed(of)) {
    const [, run, kind, name] = /^tinker:\/\/(.*)\/(.*)\/(.*)$/.exec(path)!;
    const files = await unpackTar(await of.bytes(`training_runs/${run}/checkpoints/${kind}/${name}/archive.tar`));
    const names = files.map((file) => file.header.name);
    for (const file of ['adapter_config.json', 'adapter_model.safetensors', 'optimizer.safetensors'])
      if (!names.includes(file)) problems.push(`${path} has no ${file}`);
    for (const { header, data } of files)
      if (header.name.endsWith('.safetensors') && !isWhole(data!)) problems.push(`${path}: ${header.name} is damaged`);
    counts.read++;
  }
}

const unfinished = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(tmp|partial)(\/|$)/.test(name));

/** Stops the server as a user does. */
async function stop(server: Server): Promise<void> {
  server.child.kill('SIGTERM');
  const code = await server.ended;
  if (code !== 0) problems.push(`exit code ${code} after SIGTERM: ${server.said().slice(-500)}`);
}

function checkSaid({ said }: Server): void {
  const lines = said().split('\n');
  for (const line of lines)
    if (/WARNING|ERROR|waiting for|at work/.test(line) && !/the server stops; |chat\/completions/.test(line))
      problems.push(`the server says: ${line}`);
}

/** CPU times in milliseconds: until the server listens, and for a whole training. */
interface Times {
  starting: number;
  working: number;
}

/** Restarts the server until the work is done, and kills it at random instants. */
async function killing(folder: string, { starting, working }: Times, isOver: () => boolean): Promise<void> {
  const checks: Promise<void>[] = []; // the checks of killed servers end with a later server
  while (!isOver()) {
    const server = start(folder);
    const isLate = counts.kills >= mostKills;
    const inStart = rng.uniform() < 0.15;
    let at = inStart ? rng.uniform() * starting : Infinity;
    void server.listens.then(() => (at = Math.min(at, cpuMsOf(server.pid) + (rng.uniform() * working) / 2)));
    checks.push(server.listens.then((listens) => (listens ? readListed() : undefined)).catch(noted));
    let hasEnded = false;
    void server.ended.then(() => (hasEnded = true));
    while (!isOver() && !hasEnded && (isLate || cpuMsOf(server.pid) < at)) await sleep(2);
    if (hasEnded) throw new Error(`the server has ended by itself: ${server.said().slice(-500)}`);
    if (isOver()) await Promise.all(checks).then(() => stop(server));
    else {
      if (rng.uniform() < 0.3) current.isDead = true;
      server.child.kill('SIGKILL');
      await server.ended;
      counts.kills++;
      if (inStart) counts.starting++;
    }
    checkSaid(server);
  }
}

/** Records a reader's error, unless its server was killed. */
function noted(error: unknown): void {
  if (error instanceof TinkerError || !/fetch failed|terminated/.test(String(error)))
    problems.push(`reading what is listed: ${String(error)}`);
}

/** Checks at the end that no temporary file is left, and the folder is free. */
async function checkFolder(folder: string): Promise<void> {
  const server = start(folder);
  await server.listens;
  await readListed();
  for (const name of unfinished(folder)) problems.push(`${name} is left after a restart`);
  await stop(server);
  if (readdirSync(folder).some((name) => name.includes('.lock'))) problems.push('a lock is left');
}

async function undisturbed(): Promise<{ truth: Heard[]; times: Times }> {
  const server = start(join(directory, 'whole'));
  if (!(await server.listens)) throw new Error(`the server does not start: ${server.said()}`);
  const starting = cpuMsOf(server.pid);
  const truth = await training();
  const times = { starting, working: cpuMsOf(server.pid) - starting };
  await stop(server);
  return { truth, times };
}

const { truth, times } = await undisturbed();
console.log(`CPU time: ${times.starting} ms until the server listens, ${times.working} ms of a training`);
if (new Set(truth.map((heard) => heard.probe)).size !== STEPS) throw new Error('steps have the same state');
while (counts.kills < mostKills && problems.length < 20) {
  const folder = join(directory, `killed-${counts.runs}`);
  let isOver = false;
  const work = training(truth)
    .catch((error: unknown) => void problems.push(`the client: ${String(error)}`))
    .finally(() => (isOver = true));
  await killing(folder, times, () => isOver);
  await work;
  await checkFolder(folder);
  counts.runs++;
  rmSync(folder, { recursive: true, force: true });
}

const { kills, starting, runs, resumed, sentAgain, read } = counts;
console.log(
  '| kills | of these in its start | trainings | resumed by a new client | requests sent again | checkpoints read | findings |\n' +
    '|---|---|---|---|---|---|---|\n' +
    `| ${kills} | ${starting} | ${runs} | ${resumed} | ${sentAgain.toLocaleString('en')} | ${read.toLocaleString('en')} | ${problems.length} |`,
);
for (const problem of new Set(problems)) console.log(problem);
if (problems.length > 0) process.exitCode = 1;
rmSync(dirname(base), { recursive: true, force: true });
rmSync(directory, { recursive: true, force: true });
