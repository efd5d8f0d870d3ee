// Compares small random models here and in llama.cpp: 64 greedy tokens after a prompt of 24, and the probabilities of each step.
import { join } from 'node:path';
import { maximum } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { convertCheckpoint, exportGguf, type TensorTypeName } from '@bowyer/models';
import { familyConfigs } from './family-configs.js';
import type { Peer } from '../llama-cpp.js';
import {
  equalIds,
  generateHere,
  NEW_TOKENS,
  prompt,
  randomAdapter,
  randomFamily,
  randomModel,
  type Generated,
} from './random-model.js';

export interface Sides {
  /** The folder for temporary files. */
  dir: string;
  peer: Peer;
  device: Device;
  threads: number;
}

const modelIn = ({ device, dir }: Sides, name: string) => randomFamily(device, join(dir, 'model'), name);

export async function compareFamilies(sides: Sides, names: string): Promise<void> {
  for (const name of chosen(names)) {
    const folder = await modelIn(sides, name);
    const { file, notes } = await exported(sides, folder, 'f32', false);
    report(name, await compared(sides, folder, file), notes);
  }
}

/** Compares adapters of all linear layers, as separate files and merged. */
export async function compareAdapters(sides: Sides, names: string): Promise<void> {
  for (const name of chosen(names).filter((each) => !/Mixtral|MoE|oss|scaling|YaRN|longrope/.test(each))) {
    const folder = await modelIn(sides, name);
    const base = await exported(sides, folder, 'f32', false);
    const adapter = await randomAdapter(sides.device, folder, join(sides.dir, 'adapter'));
    const apart = await exported(sides, adapter, 'f32', false);
    report(`${name}, adapter`, await compared(sides, adapter, base.file, apart.file), []);
    const merged = await exported(sides, adapter, 'f32', true);
    report(`${name}, merged`, await compared(sides, adapter, merged.file), []);
  }
}

/** Compares models that are read back from GGUF files with the original ones and with llama.cpp. */
export async function compareRead(sides: Sides, names: string): Promise<void> {
  for (const name of chosen(names)) {
    const folder = await modelIn(sides, name);
    const { file, notes } = await exported(sides, folder, 'f32', false);
    const output = join(sides.dir, `read-${files}`);
    await convertCheckpoint({ input: file, output, config: null, tokenizer: null, section: null });
    const [expected, { ids }] = [await generateHere(sides.device, folder), await generateHere(sides.device, output)];
    console.log(`${name}, read again: ${equalIds(ids, expected.ids)} of ${NEW_TOKENS} tokens are the model's`);
    report(`${name}, read again`, await compared(sides, output, file), notes);
  }
}

/** Compares the other number types with float32 here. */
export async function compareTypes(sides: Sides): Promise<void> {
  const folder = await modelIn(sides, 'Llama');
  for (const dtype of ['f16', 'bf16', 'q8_0', 'q4_0'] as const) {
    const { file } = await exported(sides, folder, dtype, false);
    report(`Llama, ${dtype}`, await compared(sides, folder, file), []);
  }
  const wide = await randomModel(sides.device, join(sides.dir, 'wide'), { ...familyConfigs.Llama, ...rowsOf256 });
  const exact = await generateThere(sides, (await exported(sides, wide, 'f32', false)).file);
  for (const dtype of ['q8_0', 'q4_0', 'q4_k'] as const) {
    const rounded = await generateThere(sides, (await exported(sides, wide, dtype, false)).file);
    const distance = totalVariation(exact.first, rounded.first).toFixed(3);
    console.log(`Llama of width 256, ${dtype}: the first token's probabilities are ${distance} from those of float32`);
  }
}

/** Computes the total variation distance of two distributions. */
const totalVariation = (a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): number =>
  [...a].reduce((sum, [token, p]) => sum + Math.abs(p - (b.get(token) ?? 0)) / 2, 0);

/** Sizes for Q4_K, which has blocks of 256. */
const rowsOf256 = { hidden_size: 256, intermediate_size: 512, initializer_range: 0.06 };

const chosen = (names: string) => Object.keys(familyConfigs).filter((name) => new RegExp(names).test(name));

function report(name: string, { equal, difference }: Compared, notes: readonly string[]): void {
  console.log(`${name}: ${equal} of ${NEW_TOKENS} tokens equal, probabilities within ${difference.toExponential(1)}`);
  for (const note of notes) console.log(`  ${note}`);
}

let files = 0;

async function exported({ dir }: Sides, folder: string, dtype: TensorTypeName, merge: boolean) {
  const file = join(dir, `${files++}.gguf`);
  const { notes } = await exportGguf({ dir: folder, output: file, dtype, merge, name: 'random' });
  return { file, notes };
}

interface Compared {
  /** The number of equal tokens from the first one on. */
  equal: number;
  /** The largest difference of the chosen tokens' probabilities. */
  difference: number;
}

async function compared(sides: Sides, folder: string, file: string, adapter?: string): Promise<Compared> {
  const ours = await generateHere(sides.device, folder);
  const theirs = await generateThere(sides, file, { adapter });
  const equal = equalIds(ours.ids, theirs.ids);
  const apart = ours.probabilities.slice(0, equal).map((p, i) => Math.abs(p - theirs.probabilities[i]));
  return { equal, difference: maximum([0, ...apart]) };
}

/** The result with the probabilities of all tokens after the prompt. */
interface GeneratedThere extends Generated {
  first: ReadonlyMap<number, number>;
}

export async function generateThere(
  { peer, threads }: Sides,
  file: string,
  { adapter, tokens = prompt }: { adapter?: string; tokens?: readonly number[] } = {},
): Promise<GeneratedThere> {
  const model = await peer.loadModel({ modelPath: file, gpuLayers: 0 });
  const context = await model.createContext({
    contextSize: 128,
    threads,
    flashAttention: false,
    experimentalKvCacheKeyType: 'F32',
    experimentalKvCacheValueType: 'F32',
    ...(adapter !== undefined && { lora: adapter }),
  });
  const found: GeneratedThere = { ids: [], probabilities: [], first: new Map() };
  const steps = context
    .getSequence()
    .evaluateWithMetadata([...tokens], { probabilities: true }, { temperature: 0, yieldEogToken: true });
  for await (const { token, probabilities } of steps) {
    if (found.ids.length === 0) found.first = probabilities;
    found.ids.push(token);
    found.probabilities.push(probabilities.get(token)!);
    if (found.ids.length === NEW_TOKENS) break;
  }
  await context.dispose();
  await model.dispose();
  return found;
}
