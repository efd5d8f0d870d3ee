// Small random models here and in llama.cpp: 64 greedy tokens after a prompt of 24, and the probabilities of each step.
import { join } from 'node:path';
import { maximum, Rng } from '@bowyer/core';
import { readWeights, writeWeights, type HostTensors } from '@bowyer/checkpoints';
import type { Device } from '@bowyer/graph';
import { exportGguf, LanguageModel, type TensorTypeName } from '@bowyer/models';
import { byteTokenizer } from './byte-tokenizer.js';
import { familyConfigs } from './family-configs.js';
import type { Peer } from './peer.js';

export interface Sides {
  /** For temporary files. */
  dir: string;
  peer: Peer;
  device: Device;
  threads: number;
}

const [PROMPT, NEW_TOKENS] = [24, 64];
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
const LORA = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear', seed: 3 };

const random = new Rng(2);
const prompt = Array.from({ length: PROMPT }, () => random.integer(0, 255));

export async function compareFamilies(sides: Sides, names: string): Promise<void> {
  for (const name of chosen(names)) {
    const folder = await randomModel(sides, name);
    const { file, notes } = await exported(sides, folder, 'f32', false);
    report(name, await compared(sides, folder, file), notes);
  }
}

/** Adapters of all linear layers, written by themselves and merged. */
export async function compareAdapters(sides: Sides, names: string): Promise<void> {
  for (const name of chosen(names).filter((each) => !/Mixtral|MoE|oss|scaling|YaRN|longrope/.test(each))) {
    const folder = await randomModel(sides, name);
    const base = await exported(sides, folder, 'f32', false);
    const adapter = await randomAdapter(sides, folder);
    const apart = await exported(sides, adapter, 'f32', false);
    report(`${name}, adapter`, await compared(sides, adapter, base.file, apart.file), []);
    const merged = await exported(sides, adapter, 'f32', true);
    report(`${name}, merged`, await compared(sides, adapter, merged.file), []);
  }
}

/** The other types of numbers, beside float32 here. */
export async function compareTypes(sides: Sides): Promise<void> {
  const folder = await randomModel(sides, 'Llama');
  for (const dtype of ['f16', 'bf16', 'q8_0', 'q4_0'] as const) {
    const { file } = await exported(sides, folder, dtype, false);
    report(`Llama, ${dtype}`, await compared(sides, folder, file), []);
  }
}

const chosen = (names: string) => Object.keys(familyConfigs).filter((name) => new RegExp(names).test(name));

function report(name: string, { equal, difference }: Compared, notes: readonly string[]): void {
  console.log(`${name}: ${equal} of ${NEW_TOKENS} tokens equal, probabilities within ${difference.toExponential(1)}`);
  for (const note of notes) console.log(`  ${note}`);
}

async function randomModel({ dir, device }: Sides, name: string): Promise<string> {
  const tokenizer = byteTokenizer();
  const config = { ...familyConfigs[name], vocab_size: tokenizer.vocabSize };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
  const folder = join(dir, 'model');
  await model.save(folder);
  await model.release();
  await roughen(folder);
  return folder;
}

/** Norms start with ones and biases with zeros, which would hide what becomes of them. */
async function roughen(folder: string): Promise<void> {
  const weights = await readWeights(folder);
  const noise = new Rng(5);
  for (const [name, { shape, data }] of Object.entries(weights))
    if (shape.length === 1 || /bias$/.test(name)) data.forEach((x, i) => (data[i] = x + 0.3 * noise.normal()));
  await writeWeights(folder, weights);
}

async function randomAdapter({ dir, device }: Sides, folder: string): Promise<string> {
  const model = await LanguageModel.load({ device, dir: folder, lora: LORA, masksPadding: false });
  const adapter = join(dir, 'adapter');
  await model.save(adapter);
  await model.release();
  const { readSafetensors, writeSafetensors } = await import('@bowyer/checkpoints');
  const file = join(adapter, 'adapter_model.safetensors');
  const weights: HostTensors = await readSafetensors(file);
  const noise = new Rng(6);
  for (const [name, { data }] of Object.entries(weights))
    if (name.includes('lora_B')) data.forEach((_, i) => (data[i] = 0.2 * noise.normal()));
  await writeSafetensors(file, weights);
  return adapter;
}

let files = 0;

async function exported({ dir }: Sides, folder: string, dtype: TensorTypeName, merge: boolean) {
  const file = join(dir, `${files++}.gguf`);
  const { notes } = await exportGguf({ dir: folder, output: file, dtype, merge, name: 'random' });
  return { file, notes };
}

interface Compared {
  /** How many tokens from the first on. */
  equal: number;
  /** Largest of the probabilities of the tokens that were chosen. */
  difference: number;
}

async function compared(sides: Sides, folder: string, file: string, adapter?: string): Promise<Compared> {
  const ours = await generateHere(sides, folder);
  const theirs = await generateThere(sides, file, adapter);
  const differs = ours.ids.findIndex((id, at) => id !== theirs.ids[at]);
  const equal = differs < 0 ? ours.ids.length : differs;
  const apart = ours.probabilities.slice(0, equal).map((p, i) => Math.abs(p - theirs.probabilities[i]));
  return { equal, difference: maximum([0, ...apart]) };
}

interface Generated {
  ids: number[];
  /** The probabilities of the chosen tokens. */
  probabilities: number[];
}

async function generateHere({ device }: Sides, folder: string): Promise<Generated> {
  const model = await LanguageModel.load({ device, dir: folder, masksPadding: false });
  const episodes = await model.openEpisodes({ slots: 1, contextLength: PROMPT + NEW_TOKENS });
  const turn = { slot: 0, reset: true, tokens: prompt, rng: new Rng(3) };
  const [{ ids, logprobs }] = await episodes.act([turn], { ...greedy, maxNewTokens: NEW_TOKENS });
  await episodes.close();
  await model.release();
  return { ids, probabilities: Array.from(logprobs, Math.exp) };
}

async function generateThere({ peer, threads }: Sides, file: string, adapter?: string): Promise<Generated> {
  const model = await peer.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: 128,
    threads,
    flashAttention: false,
    experimentalKvCacheKeyType: 'F32',
    experimentalKvCacheValueType: 'F32',
    ...(adapter !== undefined && { lora: adapter }),
  });
  const found: Generated = { ids: [], probabilities: [] };
  const steps = context
    .getSequence()
    .evaluateWithMetadata(prompt, { probabilities: true }, { temperature: 0, yieldEogToken: true });
  for await (const { token, probabilities } of steps) {
    found.ids.push(token);
    found.probabilities.push(probabilities.get(token)!);
    if (found.ids.length === NEW_TOKENS) break;
  }
  await context.dispose();
  await model.dispose();
  return found;
}
