// Writes a model in Hugging Face's layout, and adapters in PEFT's layout.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWeights, type HostTensors } from '@bowyer/checkpoints';
import { writeFileAtomically } from '@bowyer/core';
import type { Tokenizer } from '@bowyer/text';
import type { CausalArchitecture } from '../architecture/architecture.js';
import { toCheckpoint } from '../architecture/checkpoint-layout.js';
import { configText } from '../architecture/config-text.js';
import { mergeAdapters } from '../lora/merge-adapters.js';
import { writeAdapter } from '../lora/peft-files.js';
import { addDequantized } from '../quantization/frozen-weights.js';
import type { ModelWeights } from './model-weights.js';

/** Writes the adapters with the path of their base model. @throws if it was not read from a directory */
export async function saveAdapters(
  dir: string,
  tokenizer: Tokenizer,
  trained: HostTensors,
  { adapters, baseDir }: Pick<ModelWeights, 'adapters' | 'baseDir'>,
): Promise<void> {
  if (baseDir === undefined)
    throw new Error('LanguageModel: the base model of these adapters is in no directory; use saveMerged');
  await mkdir(dir, { recursive: true });
  await writeAdapter(dir, trained, adapters!.layout, baseDir);
  await tokenizer.save(dir, writeFileAtomically);
}

interface WholeWeights extends Pick<ModelWeights, 'quantized' | 'adapters' | 'generation'> {
  trained?: HostTensors;
}

/** Writes a whole model: quantised weights are written in float32, and adapters are merged into the weights. */
export async function saveWhole(
  dir: string,
  { architecture, tokenizer }: { architecture: CausalArchitecture; tokenizer: Tokenizer },
  base: HostTensors,
  { quantized, adapters, trained, generation }: WholeWeights,
): Promise<void> {
  const tensors = await addDequantized(base, quantized);
  if (adapters && trained) mergeAdapters(tensors, trained, adapters.layout);
  await mkdir(dir, { recursive: true });
  await writeWeights(dir, toCheckpoint(architecture.parameters, tensors));
  await tokenizer.save(dir, writeFileAtomically);
  await writeFileAtomically(join(dir, 'config.json'), configText(architecture.config));
  if (generation)
    await writeFileAtomically(join(dir, 'generation_config.json'), `${JSON.stringify(generation, null, 2)}\n`);
}
