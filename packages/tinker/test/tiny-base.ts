// A base of a few thousand weights in a folder, for tests.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import type { LoraShape } from '../src/training/trainable.js';

export const VOCABULARY = 40;

export const shape: LoraShape = { rank: 4, seed: 7, trainAttn: true, trainMlp: true, trainUnembed: true };

export const adam = { learningRate: 1e-2, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: 0, gradClipNorm: 0 };

const words = Array.from({ length: 30 }, (_, i) => `w${i}`);

/** Writes a tiny base. @returns its folder */
export async function tinyBase(device: Device, { isTied = false } = {}): Promise<string> {
  const folder = newFolder();
  const tokenizer = wordLevelTokenizer([words.join(' ')], { minCount: 1 });
  const config = {
    model_type: 'llama',
    vocab_size: VOCABULARY,
    hidden_size: 16,
    intermediate_size: 24,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 64,
    tie_word_embeddings: isTied,
  };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(3) });
  const wide = await model.copyParameters();
  const rng = new Rng(5); // this makes the distributions far from uniform
  for (const tensor of Object.values(wide))
    if (tensor.shape.length === 2) tensor.data.forEach((_, i) => (tensor.data[i] = 0.3 * rng.normal()));
  await model.restoreParameters(wide);
  await model.save(join(folder, 'tiny'));
  await model.release();
  return join(folder, 'tiny');
}

/** Ids that the tokenizer has and no special ones. */
export const randomIds = (rng: Rng, count: number) => Int32Array.from({ length: count }, () => rng.integer(4, 30));
