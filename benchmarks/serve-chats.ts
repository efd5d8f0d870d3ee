// Measures 32 concurrent chats with one server: GPT-2 124M with random weights in float32, prompts of 256 tokens, the first 128
// of which are the same for all (a system prompt), 64 new tokens, greedy; each client begins its next chat when its last has
// ended. It prints total tokens/s by wall-clock and by CPU time (which other work on the machine affects less), the median and
// 0.95 quantile of the time to the first token, the longest gap between two tokens of a chat, and the server's peak memory. Ours
// streams over HTTP; llama.cpp (node-llama-cpp) batches 32 sequences, and transformers.js runs batches of 32, with the same
// weights and ids, each in a separate process with two threads.
//   npm --prefix benchmarks/peers install && npm --prefix benchmarks/peers/llama-cpp install
//   node --conditions=source --import tsx benchmarks/serve-chats.ts [ours,llama-cpp,transformers] [chats of a client] [small]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { exportOnnx, gpt2Config, LanguageModel } from '@bowyer/models';
import { peakMemory } from './peer.js';
import type { ChatServer, ServedChat } from './serve-chats/chat-server.js';
import { writeGguf } from './write-gguf.js';
import { numberedWords } from './random-gpt2.js';

const CLIENTS = 32;
const SYSTEM = 128;
const PROMPT = 256;
const NEW_TOKENS = 64;
const [, , names = 'ours,llama-cpp,transformers', chatsText = '3', size] = process.argv;
const chatsOfClient = Number(chatsText);
const isSmall = size === 'small';
const config = {
  ...gpt2Config({ vocab_size: 50_257 }),
  ...(isSmall && { vocab_size: 400, n_embd: 64, n_layer: 2, n_head: 4 }),
};

/** The work of a server in its process. */
export interface ServerJob extends ServedFiles {
  name: string;
  /** The prompts as token ids, by [clients][chats]. */
  prompts: number[][][];
  newTokens: number;
}

interface ServedFiles {
  /** Our model's folder. */
  dir: string;
  gguf: string;
  /** The folder of transformers.js, inside the one in which it looks for models. */
  onnx: string;
}

interface Served {
  /** [chats] */
  chats: ServedChat[];
  seconds: number;
  /** CPU time of all threads of the server's process, including its clients. */
  cpuSeconds: number;
  /** The peak memory in GiB. */
  peak: number;
}

if (process.env.SERVE_CHATS_JOB === undefined) await compareServers();
else process.once('message', (job) => void play(job as ServerJob));

async function compareServers(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'serve-chats-'));
  const files = { dir, gguf: join(dir, 'model.gguf'), onnx: join(dir, 'onnx-model') };
  try {
    await writeModel(files);
    const prompts = randomPrompts(new Rng(2));
    console.log(
      '| server | tokens/s | tokens per CPU second | first token, median and 0.95, s | longest gap, s | cached tokens | peak, GiB | load |\n|---|---|---|---|---|---|---|---|',
    );
    for (const name of names.split(',')) {
      const served = await inOwnProcess({ name, ...files, prompts, newTokens: NEW_TOKENS });
      console.log(`| ${name} | ${typeof served === 'string' ? served : row(served)} |`);
    }
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function writeModel({ dir, gguf, onnx }: ServedFiles): Promise<void> {
  const device = await openDevice({ device: 'cpu', threads: 2 });
  const tokenizer = numberedWords(config.vocab_size - 100);
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
  await model.save(dir);
  if (names.includes('transformers')) await exportOnnx({ dir, output: onnx, precisions: ['fp32'], merge: false });
  await device.close();
  if (names.includes('llama-cpp')) await writeGguf(dir, gguf, 'f32');
}

/** Draws ids [clients][chats] that are words in both tokenizers. */
function randomPrompts(rng: Rng): number[][][] {
  const random = (length: number) => Array.from({ length }, () => rng.integer(260, config.vocab_size - 1));
  const system = random(SYSTEM);
  const chat = () => [...system, ...random(PROMPT - SYSTEM)];
  return Array.from({ length: CLIENTS }, () => Array.from({ length: chatsOfClient }, chat));
}

/**
 * Measures a server in a separate process.
 *
 * @returns the reason if it could not be run
 */
async function inOwnProcess(job: ServerJob): Promise<Served | string> {
  const child = fork(fileURLToPath(import.meta.url), [names, chatsText, ...(isSmall ? ['small'] : [])], {
    env: { ...process.env, SERVE_CHATS_JOB: '1' },
    execArgv: process.execArgv,
  });
  child.send(job);
  const [served] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Served | string | number];
  return typeof served === 'number' ? `ended with code ${served}` : served;
}

async function play(job: ServerJob): Promise<void> {
  let result: Served | string;
  try {
    const { open } = (await import(`./serve-chats/${job.name}.js`)) as {
      open: (job: ServerJob) => Promise<ChatServer>;
    };
    const server = await open(job);
    // Chats with other texts, which have another system prompt, make the server compile and allocate everything first.
    const others = job.prompts.map(([[...ids]], client) => [
      ids.map((id, i) => 260 + ((7 * id + (i < SYSTEM ? 0 : client)) % 100)),
    ]);
    await served({ ...job, prompts: others, newTokens: 2 }, server);
    result = await served(job, server);
    await server.close();
  } catch (error) {
    result = error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error);
  }
  process.send!(result, () => process.exit(0));
}

async function served({ prompts, newTokens }: ServerJob, server: ChatServer): Promise<Served> {
  const start = performance.now();
  const before = process.cpuUsage();
  const chats = server.all ? await server.all(prompts, newTokens) : await inParallel(prompts, newTokens, server);
  const { user, system } = process.cpuUsage(before);
  return { chats, seconds: (performance.now() - start) / 1e3, cpuSeconds: (user + system) / 1e6, peak: peakMemory() };
}

async function inParallel(prompts: number[][][], newTokens: number, server: ChatServer): Promise<ServedChat[]> {
  const ofClients = prompts.map(async (chats) => {
    const done: ServedChat[] = [];
    for (const prompt of chats) done.push(await server.chat!(prompt, newTokens));
    return done;
  });
  return (await Promise.all(ofClients)).flat();
}

function row({ chats, seconds, cpuSeconds, peak }: Served): string {
  const tokens = chats.reduce((sum, { tokens: own }) => sum + own, 0);
  const quantile = (values: readonly number[], q: number) =>
    [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];
  const first = chats.map(({ firstTokenMs }) => firstTokenMs);
  const gap = quantile(
    chats.map(({ longestGapMs }) => longestGapMs),
    1,
  );
  const cached = chats.reduce((sum, { cachedTokens = 0 }) => sum + cachedTokens, 0) / chats.length;
  const times = [quantile(first, 0.5), quantile(first, 0.95)].map((ms) => (ms / 1e3).toFixed(2)).join(' and ');
  const perSecond = `${(tokens / seconds).toFixed(1)} | ${(tokens / cpuSeconds).toFixed(1)}`;
  return `${perSecond} | ${times} | ${(gap / 1e3).toFixed(2)} | ${cached.toFixed(0)} a prompt | ${peak.toFixed(2)} | ${loadavg()[0].toFixed(0)}`;
}
