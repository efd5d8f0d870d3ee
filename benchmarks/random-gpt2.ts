// Makes GPT-2 124M with random weights, for benchmarks.
import { Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { gpt2Config, LanguageModel, type Quantization } from '@bowyer/models';
import { wordLevelTokenizer, type Tokenizer } from '@bowyer/text';

/**
 * Makes GPT-2 with random weights.
 *
 * @returns the model, always with the same weights
 */
export function randomGpt2(device: Device, options: { quantization?: Quantization } = {}): Promise<LanguageModel> {
  return LanguageModel.create({
    ...options,
    device,
    config: { ...gpt2Config({}) },
    tokenizer: manyWords(),
    rng: new Rng(1),
    masksPadding: false,
  });
}

/** Draws `rows` prompts of random tokens. */
export function randomPrompts(rng: Rng, rows: number, tokens: number): number[][] {
  return Array.from({ length: rows }, () => Array.from({ length: tokens }, () => rng.integer(1, 50_000)));
}

/** Makes a tokenizer with as many words as the model's 50,257 rows. */
function manyWords(): Tokenizer {
  const words = Array.from({ length: 50_000 }, (_, i) => `w${i}`);
  return wordLevelTokenizer([words.join(' ')], { minCount: 1 });
}
