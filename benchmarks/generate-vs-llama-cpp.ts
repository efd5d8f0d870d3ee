// Compares generation with llama.cpp (node-llama-cpp): a Llama of 110M parameters with random weights, written as GGUF for the
// peer; one row, a prompt of 64 tokens, 64 new ones, greedy, two threads on both sides, in alternating repetitions. Float32
// against F32, then our 8 bits against Q8_0. The peer keeps its cache in float16, its default.
//   npm --prefix benchmarks/peers/llama-cpp install
//   node --conditions=source --import tsx benchmarks/generate-vs-llama-cpp.ts [repetitions] [small]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { openPeer } from './llama-cpp.js';
import { median } from './measure.js';
import { numberedWords } from './random-gpt2.js';
import { writeGguf } from './write-gguf.js';

const PROMPT = 64;
const NEW_TOKENS = 64;
const THREADS = 2;
const repetitions = Number(process.argv[2] ?? 5);
const isSmall = process.argv[3] === 'small';
const config = {
  model_type: 'llama',
  vocab_size: 32_000,
  hidden_size: 768,
  intermediate_size: 2048,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  num_key_value_heads: 12,
  max_position_embeddings: 1024,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
  hidden_act: 'silu',
  tie_word_embeddings: true,
  ...(isSmall && { vocab_size: 400, hidden_size: 64, intermediate_size: 160, num_hidden_layers: 2 }),
  ...(isSmall && { num_attention_heads: 4, num_key_value_heads: 2, tie_word_embeddings: false }),
};

/** Generates tokens after the prompt. */
type Generate = (maxNewTokens: number) => Promise<number[]>;

const random = new Rng(2);
const prompt = Array.from({ length: PROMPT }, () => random.integer(260, config.vocab_size));
const llama = await openPeer(THREADS);
const device = await openDevice({ device: 'cpu', threads: THREADS });
const dir = await mkdtemp(join(tmpdir(), 'llama-cpp-'));
try {
  const model = await LanguageModel.create({
    device,
    config,
    tokenizer: numberedWords(config.vocab_size - 100),
    rng: new Rng(1),
    masksPadding: false,
  });
  await model.save(dir);
  await model.release();
  const exact = await compare('none', 'f32');
  for (const [side, ids] of Object.entries(await compare('8bit', 'q8_0')))
    console.log(`  8 bits ${side} keep the first ${alike(ids, exact.here)} tokens of float32`);
} finally {
  await rm(dir, { recursive: true });
  await llama.dispose();
  await device.close();
}

/** Counts the equal tokens from the first one on. */
function alike(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((id, at) => id !== b[at]);
  return differs < 0 ? a.length : differs;
}

/**
 * Compares both sides.
 *
 * @returns the new tokens of both
 */
async function compare(quantization: 'none' | '8bit', kind: 'f32' | 'q8_0') {
  const file = join(dir, `${kind}.gguf`);
  await writeGguf(dir, file, kind);
  const sides = [await openOurs(quantization), await openTheirs(file)];
  for (const { generate } of sides) await generate(2); // compiles, allocates
  const ratios: Record<'all' | 'decoding', number>[] = [];
  let said = { here: [] as number[], there: [] as number[] };
  for (let i = 0; i < repetitions; i++) {
    const measured: { all: number; decoding: number; ids: number[] }[] = [];
    // The order alternates between repetitions.
    for (const { generate } of i % 2 === 0 ? sides : [...sides].reverse()) {
      const first = await timed(() => generate(1));
      const whole = await timed(() => generate(NEW_TOKENS));
      measured.push({ all: whole.time, decoding: whole.time - first.time, ids: whole.ids });
    }
    const [ours, theirs] = i % 2 === 0 ? measured : [...measured].reverse();
    ratios.push({ all: theirs.all / ours.all, decoding: theirs.decoding / ours.decoding });
    const rate = ({ all }: { all: number }) => `${((1e3 * NEW_TOKENS) / all).toFixed(1)} tokens/s`;
    const step = ({ decoding }: { decoding: number }) => `${(decoding / (NEW_TOKENS - 1)).toFixed(1)} ms a step`;
    console.log(`  here ${rate(ours)}, ${step(ours)}; there ${rate(theirs)}, ${step(theirs)}`);
    said = { here: ours.ids, there: theirs.ids };
  }
  console.log(
    `${quantization} against ${kind}: ${median(ratios.map((r) => r.all)).toFixed(2)} × the peer's speed in all (aim 0.9), ` +
      `${median(ratios.map((r) => r.decoding)).toFixed(2)} × in decoding; the first ${alike(said.here, said.there)} of ${NEW_TOKENS} tokens equal`,
  );
  for (const { close } of sides) await close();
  await rm(file);
  return said;
}

async function timed(run: () => Promise<number[]>) {
  const start = performance.now();
  const ids = await run();
  return { ids, time: performance.now() - start };
}

async function openOurs(quantization: 'none' | '8bit'): Promise<{ generate: Generate; close: () => Promise<void> }> {
  const model = await LanguageModel.load({ dir, device, quantization, masksPadding: false });
  const episodes = await model.openEpisodes({ slots: 1, contextLength: PROMPT + NEW_TOKENS });
  const rng = new Rng(3); // decoding is greedy, so the random numbers have no effect
  const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
  return {
    generate: async (maxNewTokens) => {
      const turn = { slot: 0, reset: true, tokens: prompt, rng };
      return (await episodes.act([turn], { ...greedy, maxNewTokens }))[0].ids;
    },
    close: async () => {
      await episodes.close();
      await model.release();
    },
  };
}

async function openTheirs(file: string): Promise<{ generate: Generate; close: () => Promise<void> }> {
  const model = await llama.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({ contextSize: 2 * PROMPT + NEW_TOKENS, threads: THREADS });
  if (context.currentThreads !== THREADS)
    throw new Error(`llama.cpp takes ${context.currentThreads} threads instead of ${THREADS}`);
  const sequence = context.getSequence();
  return {
    generate: async (maxNewTokens) => {
      await sequence.clearHistory();
      const ids: number[] = [];
      for await (const id of sequence.evaluate(prompt, { temperature: 0, yieldEogToken: true })) {
        ids.push(id);
        if (ids.length === maxNewTokens) break;
      }
      return ids;
    },
    close: async () => {
      await context.dispose();
      await model.dispose();
    },
  };
}
