// Makes GPT-2 124M with random weights, and tokenizers for other models with random weights.
import { Rng } from '@bowyer/core';
import type { Device } from '@bowyer/graph';
import { gpt2Config, LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer, type HuggingFaceTokenizer } from '@bowyer/text';

/**
 * Makes GPT-2 with random weights.
 *
 * @returns the model, always with the same weights
 */
export function randomGpt2(device: Device): Promise<LanguageModel> {
  return LanguageModel.create({
    device,
    config: { ...gpt2Config({}) },
    tokenizer: numberedWords(50_000),
    rng: new Rng(1),
    masksPadding: false,
  });
}

/** Draws `rows` prompts of random tokens. */
export function randomPrompts(rng: Rng, rows: number, tokens: number): number[][] {
  return Array.from({ length: rows }, () => Array.from({ length: tokens }, () => rng.integer(1, 50_000)));
}

/** Makes a tokenizer with the words w0, w1, w2, … */
export function numberedWords(count: number): HuggingFaceTokenizer {
  const words = Array.from({ length: count }, (_, i) => `w${i}`);
  return wordLevelTokenizer([words.join(' ')]);
}
