// Measures 32 concurrent chats with `serve_model`'s server: GPT-2 124M with random weights in float32, prompts of 256 tokens, the
// first 128 of which are the same for all (a system prompt), 64 new tokens, greedy, two threads; each client begins its next chat
// when its last has ended. It prints tokens/s by wall-clock and by CPU time (which other work on the machine affects less), the
// median and 0.95 quantile of the time to the first token, the longest gap between two tokens of a chat, and the peak memory.
//   node --conditions=source --import tsx benchmarks/serve-chats.ts [chats of a client] [small]
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { maximum, mean, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { gpt2Config, LanguageModel } from '@bowyer/models';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';
import { peakMemory, timesOf } from './peer.js';
import { numberedWords } from './random-gpt2.js';

const [CLIENTS, SYSTEM, PROMPT, NEW_TOKENS] = [32, 128, 256, 64];
const [, , chatsText = '3', size = '124M', target] = process.argv;
const small = size === 'small' && { vocab_size: 400, n_embd: 64, n_layer: 2, n_head: 4 };
const config = { ...gpt2Config({ vocab_size: 50_257 }), ...small };

interface Chat {
  tokens: number;
  firstTokenMs: number;
  /** The longest time between two pieces of the answer. */
  longestGapMs: number;
  cachedTokens: number;
}

const device = await openDevice({ device: 'cpu', threads: 2 });
try {
  if (target === undefined) await measure();
  else await writeModel(target);
} finally {
  await device.close();
}

/** Writes the model, in a process of its own, whose memory does not count. */
async function writeModel(dir: string): Promise<void> {
  const tokenizer = numberedWords(config.vocab_size - 100);
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
  await model.save(dir);
}

async function measure(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'serve-chats-'));
  try {
    const self = [...process.execArgv, fileURLToPath(import.meta.url), chatsText, size, dir];
    if (spawnSync(process.execPath, self, { stdio: 'inherit' }).status !== 0) throw new Error('no model was written');
    const model = await LanguageModel.load({ dir, device, masksPadding: false, slots: CLIENTS });
    const server = await ModelServer.listen({
      model,
      tokenizer: new SteppedTokenizer(model.tokenizer),
      name: 'random',
      template: null,
      host: '127.0.0.1',
      port: 0,
      apiKey: null,
      seed: 1,
      slots: CLIENTS,
      maxQueued: 64,
      defaults: { temperature: 0, topK: 0, topP: 1, maxTokens: 16 },
    });
    // Chats with other texts, which have another system prompt, make the server compile and allocate everything first.
    await played(server.url, randomPrompts(new Rng(3), 1), 2);
    const prompts = randomPrompts(new Rng(2), Number(chatsText));
    let chats: Chat[] = [];
    const { wall, cpu } = await timesOf(async () => {
      chats = await played(server.url, prompts, NEW_TOKENS);
    });
    const tokens = chats.reduce((sum, chat) => sum + chat.tokens, 0);
    const first = chats.map(({ firstTokenMs }) => firstTokenMs / 1e3).sort((a, b) => a - b);
    const at = (q: number) => first[Math.min(first.length - 1, Math.floor(q * first.length))].toFixed(2);
    const gap = maximum(chats.map(({ longestGapMs }) => longestGapMs)) / 1e3;
    const cached = mean(chats.map(({ cachedTokens }) => cachedTokens));
    console.log(
      `${(tokens / wall).toFixed(1)} tokens/s, ${(tokens / cpu).toFixed(1)} per CPU second; first token at the median ${at(0.5)} s, ` +
        `0.95 quantile ${at(0.95)} s; longest gap ${gap.toFixed(2)} s; ${cached.toFixed(0)} tokens of a prompt from the cache; ` +
        `peak ${peakMemory().toFixed(2)} GiB; load ${loadavg()[0].toFixed(0)}`,
    );
    await server.close();
    await model.release();
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Draws ids [clients][chats]. */
function randomPrompts(rng: Rng, chats: number): number[][][] {
  const random = (length: number) => Array.from({ length }, () => rng.integer(260, config.vocab_size - 1));
  const system = random(SYSTEM);
  const chat = () => [...system, ...random(PROMPT - SYSTEM)];
  return Array.from({ length: CLIENTS }, () => Array.from({ length: chats }, chat));
}

async function played(url: string, prompts: number[][][], newTokens: number): Promise<Chat[]> {
  const ofClients = prompts.map(async (chats) => {
    const done: Chat[] = [];
    for (const prompt of chats) done.push(await streamed(url, prompt, newTokens));
    return done;
  });
  return (await Promise.all(ofClients)).flat();
}

interface Chunk {
  choices: { token_ids?: number[] }[];
  usage?: { prompt_tokens_details?: { cached_tokens: number } };
}

/** Streams a completion of token ids. */
async function streamed(url: string, prompt: number[], newTokens: number): Promise<Chat> {
  const start = performance.now();
  let last = start;
  const chat: Chat = { tokens: 0, firstTokenMs: 0, longestGapMs: 0, cachedTokens: 0 };
  const asked = { ignore_eos: true, return_token_ids: true, stream: true, stream_options: { include_usage: true } };
  const response = await fetch(`${url}/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt, max_tokens: newTokens, ...asked }),
  });
  if (!response.ok) throw new Error(`status ${response.status}: ${await response.text()}`);
  let unread = '';
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (unread + piece).split('\n\n');
    unread = events.pop()!;
    for (const event of events.filter((text) => text !== 'data: [DONE]')) {
      const { choices, usage } = JSON.parse(event.slice('data: '.length)) as Chunk;
      const count = choices.reduce((sum, { token_ids = [] }) => sum + token_ids.length, 0);
      chat.cachedTokens = usage?.prompt_tokens_details?.cached_tokens ?? chat.cachedTokens;
      if (count === 0) continue;
      const now = performance.now();
      if (chat.tokens === 0) chat.firstTokenMs = now - start;
      else chat.longestGapMs = Math.max(chat.longestGapMs, now - last);
      chat.tokens += count;
      last = now;
    }
  }
  return chat;
}
