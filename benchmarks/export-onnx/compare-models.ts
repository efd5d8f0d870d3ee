// Small random models here and in transformers.js: 64 greedy tokens after a prompt of 24, and the probabilities of each.
import { join } from 'node:path';
import { maximum } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { exportOnnx } from '@bowyer/models';
import { familyConfigs } from '../export-gguf/family-configs.js';
import { equalIds, generateHere, NEW_TOKENS, prompt, randomFamily } from '../export-gguf/random-model.js';
import { generateThere } from './transformers-js.js';

export interface Here {
  /** For temporary files. */
  dir: string;
  device: Device;
}

export async function compareFamilies({ dir, device }: Here, names: string): Promise<void> {
  for (const name of Object.keys(familyConfigs).filter((each) => new RegExp(names).test(each))) {
    const folder = await randomFamily(device, join(dir, 'model'), name);
    const output = join(dir, `${name.replace(/\W+/g, '-')}`);
    try {
      await exportOnnx({ dir: folder, output, precisions: ['fp32'], merge: false });
    } catch (error) {
      console.log(`${name}: refused: ${(error as Error).message.split('ONNX: ')[1]}`);
      continue;
    }
    const ours = await generateHere(device, folder);
    const theirs = await generateThere(output, 'fp32', prompt, NEW_TOKENS);
    const equal = equalIds(ours.ids, theirs.ids);
    const apart = theirs.ids
      .slice(0, equal)
      .map((id, i) => Math.abs(probability(theirs.logits[i], id) - ours.probabilities[i]));
    console.log(
      `${name}: ${equal} of ${NEW_TOKENS} tokens equal, probabilities within ${maximum([0, ...apart]).toExponential(1)}`,
    );
  }
}

function probability(logits: Float32Array, id: number): number {
  const top = maximum(logits);
  return Math.exp(logits[id] - top) / logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
}
