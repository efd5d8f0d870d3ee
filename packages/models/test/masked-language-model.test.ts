// A real ALBERT with its masked-LM head: logits, log-probabilities and recovered tokens are PyTorch's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { recordings, whenRecorded } from '@bowyer/testing';
import { MaskedLanguageModel } from '../src/encoder/masked-language-model.js';
import { loadTokenizer } from '@bowyer/text';

const dir = recordings('models/albert-rxnmapper');
const real = whenRecorded('models/albert-rxnmapper').test;

interface Reference {
  prompts: {
    text: string;
    input_ids: number[];
    masked_position: number;
    masked_input_ids: number[];
    mask_logits_first10: number[];
    last_position_logits_first10: number[];
    mask_top5_ids: number[];
    one_by_one_masked_logprobs: number[];
  }[];
  quality: { reactions: string[]; tokens_masked_one_at_a_time: number; recovered: number; mean_logprob: number };
}

real("ALBERT fills in chemical reactions as PyTorch's does: 205 of 219 tokens", async () => {
  const { prompts, quality } = JSON.parse(readFileSync(join(dir, 'reference.json'), 'utf8')) as Reference;
  const device = await openDevice({ device: 'cpu', threads: 2 });
  const model = await MaskedLanguageModel.load({ device, dir });
  const tokenizer = await loadTokenizer(dir);
  const mask = tokenizer.tokenToId('[MASK]')!;
  const inner = (ids: readonly number[]) => ids.map((_, i) => i).slice(1, -1); // all but [CLS] and [SEP]
  const close = (found: ArrayLike<number>, expected: readonly number[]) =>
    expected.forEach((value, i) => expect(Math.abs(found[i] - value)).toBeLessThan(2e-4));

  const logits = await model.logits(prompts.map((prompt) => prompt.masked_input_ids));
  for (const [i, prompt] of prompts.entries()) {
    const { vocabSize } = model.config;
    const row = (place: number) => logits[i].subarray(place * vocabSize, (place + 1) * vocabSize);
    close(row(prompt.masked_position), prompt.mask_logits_first10);
    close(row(prompt.masked_input_ids.length - 1), prompt.last_position_logits_first10);
    const guesses = [...row(prompt.masked_position)].map((value, id) => ({ value, id }));
    guesses.sort((a, b) => b.value - a.value);
    expect(guesses.slice(0, 5).map(({ id }) => id)).toEqual(prompt.mask_top5_ids);
  }

  let [tokens, recovered, sum] = [0, 0, 0];
  for (const reaction of quality.reactions) {
    const ids = tokenizer.encodeWithSpecials(reaction);
    const { logprobs, mostLikely } = await model.maskedLogprobs(ids, inner(ids), mask);
    inner(ids).forEach((place, i) => (recovered += mostLikely[i] === ids[place] ? 1 : 0));
    const prompt = prompts.find(({ text }) => text === reaction);
    if (prompt) {
      expect(ids).toEqual(prompt.input_ids);
      expect(logprobs).toHaveLength(prompt.one_by_one_masked_logprobs.length);
      close(logprobs, prompt.one_by_one_masked_logprobs);
    }
    tokens += logprobs.length;
    sum += logprobs.reduce((a, b) => a + b, 0);
  }
  expect({ tokens, recovered }).toEqual({ tokens: quality.tokens_masked_one_at_a_time, recovered: quality.recovered });
  expect(sum / tokens).toBeCloseTo(quality.mean_logprob, 4);
  await model.release();
  await device.close();
});
