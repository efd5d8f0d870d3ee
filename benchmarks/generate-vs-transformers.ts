// Compares generation with @huggingface/transformers: GPT-2 124M with the same random weights, greedy, 16 rows.
//   npm --prefix benchmarks/peers install
//   node --conditions=source --import tsx benchmarks/generate-vs-transformers.ts [repetitions] [dialogue turns]
// First it generates 32 tokens after a prompt of 64; then a dialogue in which each turn adds 16 tokens and generates 16. The
// peer's `generate` reads the whole dialogue again at each turn; here the KV cache is kept.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { exportOnnx, type Episodes } from '@bowyer/models';
import { median } from './measure.js';
import { randomGpt2, randomPrompts } from './random-gpt2.js';

const ROWS = 16;
const PROMPT = 64;
const NEW_TOKENS = 32;
const TURN_TOKENS = 16;
const repetitions = Number(process.argv[2] ?? 3);
const turns = Number(process.argv[3] ?? 10);
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };

/** The part of transformers.js that is used. */
interface Peer {
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => unknown;
  AutoModelForCausalLM: { from_pretrained(name: string, options: object): Promise<PeerModel> };
  env: { version: string; localModelPath: string; allowRemoteModels: boolean };
}
interface PeerModel {
  generate(options: object): Promise<{ tolist(): bigint[][] }>;
}

/** Returns the new tokens of each row, and the total time in milliseconds. */
type Generate = (contexts: number[][], maxNewTokens: number) => Promise<{ ids: number[][]; time: number }>;

const here = dirname(fileURLToPath(import.meta.url));
const entry = join(here, 'peers/node_modules/@huggingface/transformers/dist/transformers.node.mjs');
if (!existsSync(entry)) {
  console.error(`transformers.js is not there: ${entry}\n  npm --prefix benchmarks/peers install`);
  process.exit(1);
}
const device = await openDevice({ device: 'cpu' });
try {
  const { peer, version } = await openPeer();
  const episodes = await model().then((ours) => ours.openEpisodes({ slots: ROWS, contextLength: 384 }));
  console.log(`@huggingface/transformers ${version}, ${ROWS} rows`);
  if (repetitions > 0) await comparePrompts(peer, episodes);
  if (turns > 0) await compareDialogues(peer, episodes);
} finally {
  await device.close();
}

function model() {
  return randomGpt2(device);
}

/** Writes the same weights as an ONNX file for the peer, and loads it there. */
async function openPeer(): Promise<{ peer: Generate; version: string }> {
  const folder = join(here, 'peers/node_modules/.cache/gpt2-random');
  const ours = await model();
  await ours.save(`${folder}-here`);
  await ours.release();
  await exportOnnx({ dir: `${folder}-here`, output: folder, precisions: ['fp32'], merge: false });
  const { env, Tensor, AutoModelForCausalLM } = (await import(pathToFileURL(entry).href)) as Peer;
  env.localModelPath = dirname(folder);
  env.allowRemoteModels = false;
  const loaded = await AutoModelForCausalLM.from_pretrained('gpt2-random', { dtype: 'fp32', device: 'cpu' });
  for (const written of [folder, `${folder}-here`]) await rm(written, { recursive: true });
  const peer: Generate = async (contexts, maxNewTokens) => {
    const dims = [contexts.length, contexts[0].length];
    const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), dims);
    const input_ids = tensor(contexts.flat());
    const attention_mask = tensor(contexts.flat().map(() => 1));
    const start = performance.now();
    const output = await loaded.generate({
      input_ids,
      attention_mask,
      max_new_tokens: maxNewTokens,
      do_sample: false,
      eos_token_id: null,
    });
    const time = performance.now() - start;
    return { ids: output.tolist().map((row) => row.slice(dims[1]).map(Number)), time };
  };
  return { peer, version: env.version };
}

/** Generates tokens after an addition to the rows' contexts. */
async function act(episodes: Episodes, added: number[][], reset: boolean, maxNewTokens: number) {
  const rng = new Rng(3); // decoding is greedy, so the random numbers have no effect
  const start = performance.now();
  const said = await episodes.act(
    added.map((tokens, slot) => ({ slot, reset, tokens, rng })),
    { ...greedy, maxNewTokens },
  );
  return { ids: said.map(({ ids }) => ids), time: performance.now() - start };
}

async function comparePrompts(peer: Generate, episodes: Episodes): Promise<void> {
  const prompts = randomPrompts(new Rng(2), ROWS, PROMPT);
  const ours: Generate = (contexts, maxNewTokens) => act(episodes, contexts, true, maxNewTokens);
  for (const generate of [ours, peer]) await generate(prompts, 2); // compiles, allocates
  const ratios: Record<'all' | 'decoding', number>[] = [];
  for (let i = 0; i < repetitions; i++) {
    const measured: Record<'prompt' | 'all', number>[] = [];
    const texts: string[] = [];
    for (const generate of [ours, peer]) {
      const prompt = (await generate(prompts, 1)).time;
      const { ids, time } = await generate(prompts, NEW_TOKENS);
      measured.push({ prompt, all: time });
      texts.push(JSON.stringify(ids));
    }
    const [here, there] = measured.map(({ prompt, all }) => ({ all, decoding: all - prompt }));
    ratios.push({ all: there.all / here.all, decoding: there.decoding / here.decoding });
    const rate = ({ all }: { all: number }) => `${((1e3 * ROWS * NEW_TOKENS) / all).toFixed(0)} tokens/s`;
    console.log(
      `  here ${rate(here)}, there ${rate(there)}; decoding ${here.decoding.toFixed(0)} and ${there.decoding.toFixed(0)} ms; ` +
        `tokens ${texts[0] === texts[1] ? 'equal' : 'NOT equal'}`,
    );
  }
  console.log(
    `prompt ${PROMPT}, ${NEW_TOKENS} new: ${median(ratios.map((r) => r.all)).toFixed(2)} × in all (aim 2.2), ` +
      `${median(ratios.map((r) => r.decoding)).toFixed(2)} × in decoding (aim 3)`,
  );
}

async function compareDialogues(peer: Generate, episodes: Episodes): Promise<void> {
  const rng = new Rng(4);
  const dialogues: number[][] = Array.from({ length: ROWS }, () => []);
  const times = { here: 0, there: 0 };
  let equal = true;
  for (let turn = 0; turn < turns; turn++) {
    const heard = randomPrompts(rng, ROWS, TURN_TOKENS);
    heard.forEach((tokens, row) => dialogues[row].push(...tokens));
    const here = await act(episodes, heard, turn === 0, TURN_TOKENS);
    const there = await peer(dialogues, TURN_TOKENS);
    here.ids.forEach((ids, row) => dialogues[row].push(...ids));
    equal &&= JSON.stringify(here.ids) === JSON.stringify(there.ids);
    times.here += here.time;
    times.there += there.time;
  }
  console.log(
    `${turns} turns of ${TURN_TOKENS} + ${TURN_TOKENS}: ${(times.here / 1e3).toFixed(1)} s here, ${(times.there / 1e3).toFixed(1)} s there: ` +
      `${(times.there / times.here).toFixed(2)} × (aim 5); tokens ${equal ? 'equal' : 'NOT equal'}`,
  );
}
