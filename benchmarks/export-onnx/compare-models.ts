// Compares small random models here and in transformers.js: 64 greedy tokens after a prompt of 24, and their probabilities.
import { join } from 'node:path';
import { maximum } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { exportOnnx, OnnxExportError, type OnnxPrecisionName, type Quantization } from '@bowyer/models';
import { familyConfigs as ggufFamilies } from '../export-gguf/family-configs.js';
import { equalIds, generateHere, NEW_TOKENS, prompt, randomModel } from '../export-gguf/random-model.js';
import { furtherFamilies } from './family-configs.js';
import type { TransformersJs } from './transformers-js.js';

const familyConfigs = { ...ggufFamilies, ...furtherFamilies };

export interface Here {
  /** The folder for temporary files. */
  dir: string;
  device: Device;
  there: TransformersJs;
  /** The tokens of another version of transformers.js, by model and type. */
  before: Map<string, { version: string; ids: number[] }>;
}

export async function compareFamilies(here: Here, names: string): Promise<void> {
  for (const name of Object.keys(familyConfigs).filter((each) => new RegExp(names).test(each)))
    console.log(`${name}: ${await compared(here, name, 'fp32', 'none').catch(refusal)}`);
}

/** Compares the smaller types with an equal rounding of weights here, and float16 with float32. */
export async function compareTypes(here: Here, names: string): Promise<void> {
  for (const name of Object.keys(familyConfigs).filter((each) => new RegExp(names || '^(GPT-2|Llama)$').test(each)))
    for (const [dtype, quantization] of TYPES.slice(1))
      console.log(`${name}, ${dtype}: ${await compared(here, name, dtype, quantization).catch(refusal)}`);
}

/** The closest rounding of weights here, by the name of each type. */
export const TYPES = [
  ['fp32', 'none'],
  ['fp16', 'none'],
  ['q8', '8bit'],
  ['q4', '4bit'],
  ['q4f16', '4bit'],
] as const;

let folders = 0;

async function compared(
  { dir, device, there }: Here,
  name: string,
  dtype: OnnxPrecisionName,
  quantization: Quantization,
): Promise<string> {
  const folder = await randomModel(device, join(dir, 'model'), familyConfigs[name]);
  const output = join(dir, `exported-${folders++}`);
  await exportOnnx({ dir: folder, output, precisions: [dtype], merge: false });
  const ours = await generateHere(device, folder, { quantization });
  const theirs = await there.generate(output, dtype, prompt, NEW_TOKENS);
  const equal = equalIds(ours.ids, theirs.ids);
  const apart = theirs.ids
    .slice(0, equal)
    .map((id, i) => Math.abs(probability(theirs.logits[i], id) - ours.probabilities[i]));
  return `${equal} of ${NEW_TOKENS} tokens equal, probabilities within ${maximum([0, ...apart]).toExponential(1)}`;
}

function refusal(error: unknown): string {
  if (error instanceof OnnxExportError) return `refused: ${error.message.split('ONNX: ')[1]}`;
  return String(error).split('\n')[0];
}

function probability(logits: Float32Array, id: number): number {
  const top = maximum(logits);
  return Math.exp(logits[id] - top) / logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
}
