// Sampling of 64 continuations at once: asample of the Tinker API beside completions of serve_model, over one model with random weights,
// in turn. Each server gets SAMPLES requests with a prompt of PROMPT tokens each, and writes TOKENS tokens for each. The tokens that
// arrive are counted. Printed are medians of wall and CPU seconds, and tokens/s.
//   node --conditions=source --import tsx packages/tinker/benchmarks/sampling.ts [gpt2 | 10.8M] [samples] [tokens] [repetitions] [threads]
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { ModelServer, SteppedTokenizer } from '@bowyer/serving';
import { wordLevelTokenizer } from '@bowyer/text';
import { median } from '../../../benchmarks/measure.js';
import { timesOf, type Times } from '../../../benchmarks/peer.js';
import { trainedShapes } from '../../../benchmarks/trained-shapes.js';
import { openTrainingBase, TinkerClient, TinkerServer } from '../src/index.js';

const PROMPT = 32;

const [name = 'gpt2', ...numbers] = process.argv.slice(2);
const [samples = 64, tokens = 32, repetitions = 3, threads = 1] = numbers.map(Number);
const config = trainedShapes[name];
const vocabulary = Number(config.vocab_size);
const rng = new Rng(1);
/** Returns new prompts each time, since a server that has read a prompt before would not read it again. */
const newPrompts = () =>
  Array.from({ length: samples }, () => Array.from({ length: PROMPT }, () => rng.integer(1, vocabulary - 9)));
const quotas = {
  models: 1,
  modelBytes: 2 ** 30,
  maxRank: 8,
  requestTokens: 2 ** 16,
  datums: 1024,
  bodyBytes: 2 ** 24,
  storageBytes: 2 ** 30,
  resultBytes: 2 ** 28,
};

const device = await openDevice({ device: 'cpu', threads });
const folder = await mkdtemp(join(tmpdir(), 'tinker-sampling-'));
try {
  const words = Array.from({ length: vocabulary - 8 }, (_, i) => `w${i}`);
  const tokenizer = wordLevelTokenizer([words.join(' ')], { minCount: 1 });
  const fresh = await LanguageModel.create({ device, config, tokenizer, rng });
  await fresh.save(folder);
  await fresh.release();
  const adapterBank = { places: 2, rank: 8, targetModules: 'all', dirs: [] } as const;
  const base = await openTrainingBase({ model: folder, device, adapterBank });
  const common = {
    name: 'base',
    tokenizer: new SteppedTokenizer(base.model.tokenizer),
    template: null,
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    seed: 1,
    slots: samples,
    maxQueued: samples,
    defaults: { temperature: 1, topK: 0, topP: 1, maxTokens: tokens },
  };
  const tinker = await TinkerServer.listen({
    ...common,
    base,
    folder: join(folder, 'server'),
    modelFolder: folder,
    quotas,
  });
  const served = await ModelServer.listen({ ...common, model: base.model });
  const client = new TinkerClient({ baseURL: tinker.url, apiKey: 'tml-local' });
  const writers: Record<string, (prompts: number[][]) => Promise<number[]>> = {
    serve_model: (prompts) => Promise.all(prompts.map((prompt) => completion(served.url, prompt))),
    asample: (prompts) => Promise.all(prompts.map((prompt) => asample(client, prompt))),
  };
  const times = new Map(Object.keys(writers).map((kind) => [kind, [] as (Times & { written: number })[]]));
  for (const write of Object.values(writers)) await write(newPrompts());
  for (let i = 0; i < repetitions; i++) {
    const prompts = newPrompts();
    for (const [kind, write] of Object.entries(writers)) {
      let written = 0;
      const time = await timesOf(async () => {
        for (const count of await write(prompts)) written += count;
      });
      times.get(kind)!.push({ ...time, written });
    }
  }
  console.log(
    `${name}, ${samples} at once, ${PROMPT} + ${tokens} tokens, ${threads} thread(s), load ${loadavg()[0].toFixed(1)}`,
  );
  for (const [kind, own] of times) {
    const of = (key: 'wall' | 'cpu' | 'written') => median(own.map((time) => time[key]));
    const rate = median(own.map(({ written, cpu }) => written / cpu));
    console.log(
      `${kind}: ${of('written')} tokens, wall ${of('wall').toFixed(2)} s, CPU ${of('cpu').toFixed(2)} s, ${rate.toFixed(0)} tokens per CPU second`,
    );
  }
  await tinker.close();
  await served.close();
  await base.close();
} finally {
  await device.close();
  await rm(folder, { recursive: true });
}

/** Requests one completion. @returns the number of tokens that were written */
async function completion(url: string, prompt: number[]): Promise<number> {
  const body = JSON.stringify({ prompt, max_tokens: tokens, ignore_eos: true, logprobs: 0 });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${new URL(url).origin}/v1/completions`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return ((await response.json()) as { usage: { completion_tokens: number } }).usage.completion_tokens;
}

async function asample(client: TinkerClient, tokensOfPrompt: number[]): Promise<number> {
  const { sequences } = await client.run<{ sequences: { tokens: number[] }[] }>('asample', {
    base_model: 'base',
    num_samples: 1,
    prompt: { chunks: [{ type: 'encoded_text', tokens: tokensOfPrompt }] },
    sampling_params: { max_tokens: tokens, temperature: 1 },
  });
  return sequences[0].tokens.length;
}
