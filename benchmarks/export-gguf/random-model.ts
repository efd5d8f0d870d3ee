// Makes small random models of every exported family, and generates their greedy tokens.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { readSafetensors, readWeights, writeSafetensors, writeWeights, type HostTensors } from '@bowyer/checkpoints';
import type { Device } from '@bowyer/graph';
import { LanguageModel, type Quantization } from '@bowyer/models';
import { byteTokenizer } from './byte-tokenizer.js';
import { familyConfigs } from './family-configs.js';

export const [PROMPT, NEW_TOKENS] = [24, 64];
const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, terminatorIds: [] };
const LORA = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear', seed: 3 };

const random = new Rng(2);
export const prompt = Array.from({ length: PROMPT }, () => random.integer(0, 255));

/**
 * Writes a model with random weights.
 *
 * @param config of the family
 */
export async function randomModel(
  device: Device,
  folder: string,
  config: Readonly<Record<string, unknown>>,
): Promise<string> {
  const tokenizer = byteTokenizer();
  const described = { ...config, vocab_size: tokenizer.vocabSize };
  const model = await LanguageModel.create({
    device,
    config: described,
    tokenizer,
    rng: new Rng(1),
    masksPadding: false,
  });
  await model.save(folder);
  await model.release();
  await roughen(folder);
  return folder;
}

export const randomFamily = (device: Device, folder: string, name: string): Promise<string> =>
  randomModel(device, folder, familyConfigs[name]);

/** Adds noise to norms, which are initially ones, and to biases, which are initially zeros, so that errors in them become visible. */
async function roughen(folder: string): Promise<void> {
  const weights = await readWeights(folder);
  const noise = new Rng(5);
  for (const [name, { shape, data }] of Object.entries(weights))
    if (shape.length === 1 || /bias$/.test(name)) data.forEach((x, i) => (data[i] = x + 0.3 * noise.normal()));
  await writeWeights(folder, weights);
}

/** Writes an adapter of all linear layers. */
export async function randomAdapter(device: Device, folder: string, adapter: string): Promise<string> {
  const model = await LanguageModel.load({ device, dir: folder, lora: LORA, masksPadding: false });
  await model.save(adapter);
  await model.release();
  const file = join(adapter, 'adapter_model.safetensors');
  const weights: HostTensors = await readSafetensors(file);
  const noise = new Rng(6);
  for (const [name, { data }] of Object.entries(weights))
    if (name.includes('lora_B')) data.forEach((_, i) => (data[i] = 0.2 * noise.normal()));
  await writeSafetensors(file, weights);
  return adapter;
}

export interface Generated {
  ids: number[];
  /** The probabilities of the chosen tokens. */
  probabilities: number[];
}

export async function generateHere(
  device: Device,
  folder: string,
  { quantization = 'none', tokens = prompt }: { quantization?: Quantization; tokens?: readonly number[] } = {},
): Promise<Generated> {
  const model = await LanguageModel.load({ device, dir: folder, quantization, masksPadding: false });
  const episodes = await model.openEpisodes({ slots: 1, contextLength: tokens.length + NEW_TOKENS });
  const turn = { slot: 0, reset: true, tokens: [...tokens], rng: new Rng(3) };
  const [{ ids, logprobs }] = await episodes.act([turn], { ...greedy, maxNewTokens: NEW_TOKENS });
  await episodes.close();
  await model.release();
  return { ids, probabilities: Array.from(logprobs, Math.exp) };
}

/** Counts the equal ids from the first one on. */
export function equalIds(ours: readonly number[], theirs: readonly number[]): number {
  const differs = ours.findIndex((id, at) => id !== theirs[at]);
  return differs < 0 ? ours.length : differs;
}
