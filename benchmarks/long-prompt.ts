// The longest gap between two tokens of an answer in progress while the server reads a long prompt for another one: a Llama of two
// layers with random weights and a context of 32,768 tokens. CPU time is that of the whole process, so that it counts on a busy machine.
//   node --conditions=source --import tsx benchmarks/long-prompt.ts [tokens]
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';
import { streamCompletion } from './serve-chats/stream-completion.js';

const LONG = Number(process.argv[2] ?? 30_000);
const config = {
  model_type: 'llama',
  vocab_size: 2000,
  hidden_size: 128,
  intermediate_size: 256,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 32_768,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  hidden_act: 'silu',
  tie_word_embeddings: true,
};
const words = Array.from({ length: 1900 }, (_, i) => `w${i}`).join(' ');
const tokenizer = wordLevelTokenizer([words], { minCount: 1 });
const device = await openDevice({ device: 'cpu', threads: 2 });
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
const server = await ModelServer.listen({
  model,
  tokenizer: new SteppedTokenizer(tokenizer),
  name: 'random',
  template: null,
  host: '127.0.0.1',
  port: 0,
  apiKey: null,
  seed: 1,
  slots: 4,
  maxQueued: 8,
  prefixCacheBytes: 2 ** 26,
  defaults: { temperature: 0, topK: 0, topP: 1, maxTokens: 16 },
});
const rng = new Rng(2);

/** The waits between two tokens, and the tokens in them. */
class Gaps {
  tokens = 0;
  longestMs = 0;
  longestCpuMs = 0;
  #at = performance.now();
  #cpu = process.cpuUsage();

  token(): void {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.longestMs = Math.max(this.longestMs, performance.now() - this.#at);
    this.longestCpuMs = Math.max(this.longestCpuMs, (user + system) / 1e3);
    this.#at = performance.now();
    this.#cpu = process.cpuUsage();
    this.tokens++;
  }

  get text(): string {
    return `longest gap ${this.longestMs.toFixed(0)} ms, ${this.longestCpuMs.toFixed(0)} ms of CPU time, ${this.tokens} tokens`;
  }
}

function ask(tokens: number, newTokens: number, onTokens: () => void, signal?: AbortSignal) {
  const prompt = Array.from({ length: tokens }, () => rng.integer(260, 1900));
  return streamCompletion(server.url, { prompt, newTokens, signal }, onTokens);
}

let gaps = new Gaps();
const stop = new AbortController();
const running = ask(100, 1900, () => gaps.token(), stop.signal).catch(() => undefined);
await ask(600, 2, () => undefined); // every graph that is used below
gaps = new Gaps();
while (gaps.tokens < 50) await new Promise((resolve) => setTimeout(resolve, 1));
console.log(`alone: ${gaps.text}`);
gaps = new Gaps();
const start = performance.now();
await ask(LONG, 2, () => undefined);
console.log(`while ${LONG} tokens are read, ${((performance.now() - start) / 1e3).toFixed(1)} s: ${gaps.text}`);
stop.abort();
await running;
await server.close();
await device.close();
