// Sends many requests to `serve_model` and `serve_env`, valid ones among invalid, huge and abandoned ones: the server's memory
// must stay bounded, and no request may block the others. First come the heaviest requests one at a time, then all kinds at the
// same time. `loop` is the longest blocking of the server's event loop, in CPU time, which other work on the machine does not
// affect; `health` is the latency of /health meanwhile.
//   nice node --conditions=source --import tsx benchmarks/load-test.ts [model|env|tinker|both [REQUESTS [PATTERN_OF_NAMES]]]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { builtProgram } from '@bowyer/testing';
import { loadTokenizer } from '@bowyer/text';
import { envRequests, modelCases, modelRequests, tinkerCases, type Sent } from './load-requests.js';
import { tokenizerJson } from './random-vocabulary.js';

const [which = 'both', countText = '100000', only = ''] = process.argv.slice(2);
const COUNT = Number(countText);
/** The number of simultaneous clients. */
const CLIENTS = 16;
const program = builtProgram();
const directory = mkdtempSync(join(tmpdir(), 'bowyer-load-'));
const watchFile = join(directory, 'watch.jsonl');

interface Server {
  origin: string;
  stop: () => Promise<void>;
}

async function start(args: readonly string[]): Promise<Server> {
  const watch = new URL('event-loop-watch.mjs', import.meta.url).href;
  writeFileSync(watchFile, '');
  const child = spawn(process.execPath, ['--import', watch, program, ...args, 'port=0', `save_path=${directory}/run`], {
    env: { ...process.env, WATCH_FILE: watchFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let said = '';
  const origin = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => {
        said = (said + piece.toString()).slice(-5000);
        const found = /at (http:\/\/[\d.]+:\d+)/.exec(said)?.[1];
        if (found !== undefined) resolve(found);
      });
    child.once('exit', (code, signal) => {
      if (code !== 0) console.log(`the server ended with ${code ?? signal}: ${said}`);
      reject(new Error('no server'));
    });
  });
  return { origin, stop: async () => void (child.kill('SIGTERM'), await ended) };
}

const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });

/**
 * Sends a request.
 *
 * @returns the status; 0 if the client left
 */
function send(
  origin: string,
  { method = 'POST', path, body = '', type = 'application/json', leavesAfterMs }: Sent,
): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      ...(body !== '' && { 'content-type': type }),
      'content-length': Buffer.byteLength(body),
    };
    const asked = request(`${origin}${path}`, { method, agent, headers }, (answer) => {
      answer.on('error', () => resolve(0));
      answer.resume().on('end', () => resolve(answer.statusCode!));
    });
    asked.on('error', () => resolve(0));
    asked.end(body);
    if (leavesAfterMs !== undefined) setTimeout(() => asked.destroy(), leavesAfterMs);
  });
}

interface Watched {
  longestMs: number;
  rss: number;
  heapUsed: number;
  arrayBuffers: number;
}
const watched = (): Watched[] =>
  readFileSync(watchFile, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Watched);
const largest = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

class Probe {
  readonly #worker: Worker;
  constructor(url: string) {
    this.#worker = new Worker(new URL('health-probe.mjs', import.meta.url), { workerData: { url } });
  }
  take(): Promise<number[]> {
    const taken = new Promise<number[]>((resolve) => this.#worker.once('message', resolve));
    this.#worker.postMessage(null);
    return taken;
  }
  close = () => this.#worker.terminate();
}

const quantile = (values: readonly number[], q: number) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN;
const latencies = (values: readonly number[]) => [0.5, 0.99, 1].map((q) => quantile(values, q).toFixed(1)).join(' / ');
const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(0);

/** Sends the heaviest requests, one at a time. @param watchedMs milliseconds of observation after each answer */
async function oneAtATime(
  server: Server,
  probe: Probe,
  cases: Readonly<Record<string, Sent>>,
  watchedMs = 300,
): Promise<void> {
  console.log('\n| request | status | loop, ms | health p50 / p99 / max, ms |\n|---|---|---|---|');
  for (const [name, sent] of Object.entries(cases)) {
    if (!new RegExp(only).test(name)) continue;
    await sleep(600);
    await probe.take();
    const before = watched().length;
    const status = await send(server.origin, sent);
    await sleep(watchedMs);
    const loop = largest(
      watched()
        .slice(before)
        .map(({ longestMs }) => longestMs),
    );
    console.log(`| ${name} | ${status} | ${loop.toFixed(0)} | ${latencies(await probe.take())} |`);
  }
}

/** Sends `COUNT` requests of all kinds from `CLIENTS` clients; prints a line for each tenth of them. */
async function allAtOnce(server: Server, probe: Probe, next: (rng: Rng) => Sent): Promise<void> {
  const statuses = new Map<number, number>();
  let [begun, reported] = [0, 0];
  console.log(
    '\n| requests | resident, MiB | heap, MiB | buffers, MiB | loop, ms | health p50 / p99 / max, ms |\n|---|---|---|---|---|---|',
  );
  let before = watched().length;
  const tenth = Math.ceil(COUNT / 10);
  const report = async () => {
    const lines = watched().slice(before);
    before += lines.length;
    const [rss, heap, buffers, loop] = (['rss', 'heapUsed', 'arrayBuffers', 'longestMs'] as const).map((key) =>
      largest(lines.map((line) => line[key])),
    );
    const figures = [mib(rss), mib(heap), mib(buffers), loop.toFixed(0), latencies(await probe.take())];
    console.log(`| ${(++reported * tenth).toLocaleString('en')} | ${figures.join(' | ')} |`);
  };
  await probe.take();
  const client = async () => {
    while (begun < COUNT) {
      const index = begun++;
      const status = await send(server.origin, next(Rng.forPurpose(index, 'request')));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if ((index + 1) % tenth === 0) await report();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const counts = [...statuses].sort().map(([status, n]) => `${status === 0 ? 'left' : status}: ${n}`);
  console.log(
    `\n${COUNT} requests in ${((performance.now() - began) / 1000).toFixed(0)} s, load ${loadavg()[0].toFixed(1)}; ${counts.join(', ')}`,
  );
  if ([...statuses.keys()].some((status) => status >= 500 && status !== 503)) process.exitCode = 1;
}

/** Writes a model of one layer of width 16, 32,768 positions, and a vocabulary of 32,000 tokens. */
async function makeModel(folder: string): Promise<void> {
  mkdirSync(folder);
  const rng = new Rng(1);
  const pattern = '\\p{L}+| ?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+|\\s+';
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizerJson(32_000, pattern, true, rng)));
  const template =
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}";
  writeFileSync(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({ eos_token: '<|im_end|>', pad_token: '<|endoftext|>', chat_template: template }),
  );
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const config = {
    model_type: 'llama',
    vocab_size: 32_083,
    hidden_size: 16,
    intermediate_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    max_position_embeddings: 32_768,
    rope_theta: 1e4,
    rms_norm_eps: 1e-5,
  };
  await (await LanguageModel.create({ device, config, tokenizer: await loadTokenizer(folder), rng })).save(folder);
  await device.close();
}

async function measure(name: string, server: Server, health: string, next: (rng: Rng) => Sent, cases = {}) {
  console.log(`\n## ${name}`);
  const probe = new Probe(`${server.origin}${health}`);
  try {
    if (Object.keys(cases).length > 0) await oneAtATime(server, probe, cases);
    if (COUNT > 0) await allAtOnce(server, probe, next);
  } finally {
    await probe.close();
    await server.stop();
  }
}

/** Opens a session with a model. @returns its id */
async function tinkerModel(origin: string): Promise<string> {
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${origin}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as Record<string, string>;
  };
  const { session_id } = await post('create_session', { tags: [], sdk_version: '0.26.2' });
  const model = { session_id, model_seq_id: 0, base_model: 'tiny', lora_config: { rank: 2, seed: 1 } };
  const { request_id, model_id } = await post('create_model', model);
  await post('retrieve_future', { request_id });
  return model_id;
}

/** Measures a Tinker server. `/health` is requested while the accepted requests run. */
async function measureTinker(): Promise<void> {
  await makeModel(join(directory, 'tiny'));
  const server = await start(['--config-name', 'serve_tinker', `model=${directory}/tiny`, 'threads=1']);
  console.log('\n## serve_tinker');
  const probe = new Probe(`${server.origin}/health`);
  await oneAtATime(server, probe, tinkerCases(await tinkerModel(server.origin)), 3000);
  await probe.close();
  await server.stop();
}

if (which === 'tinker') await measureTinker();
else {
  if (which !== 'env') {
    await makeModel(join(directory, 'tiny'));
    const options = ['threads=1', 'slots=4', 'max_queued=32'];
    const server = await start(['--config-name', 'serve_model', `model=${directory}/tiny`, ...options]);
    await measure('serve_model', server, '/health', modelRequests, modelCases);
  }
  if (which !== 'model') {
    const server = await start(['--config-name', 'serve_env', 'env=twenty_questions', 'max_instances=1000']);
    await measure('serve_env', server, '/', envRequests);
  }
}
agent.destroy();
rmSync(directory, { recursive: true });
