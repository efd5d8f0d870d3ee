// Tests scoreContinuations and generateTexts: with published checkpoints against PyTorch's results, and with a small random
// model.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable } from '@bowyer/graph';
import { collected, recordings, when, whenRecorded } from '@bowyer/testing';
import { generateTexts, type GeneratedText, type GenerateTextsOptions } from './generate-texts.js';
import type { Items } from './stream-chunks.js';
import { LanguageModel } from '../language-model/language-model.js';
import type { PromptItem } from './prompt-tokens.js';
import { scoreContinuations } from './score-continuations.js';
import { wordLevelTokenizer } from '@bowyer/text';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const greedy = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 20, seed: 0, batchSize: 2 };
const models = recordings('models');

interface Reference {
  prompts: {
    text: string;
    input_ids: number[];
    last_logits_first10: number[];
    continuation_text: string;
    continuation_ids: number[];
    continuation_logprobs: number[];
    greedy20_ids: number[];
    greedy20_text: string;
  }[];
}

const gpu = await webgpuAvailable();
/**
 * The largest accepted difference from PyTorch's results; it is larger on GPUs, since WGSL's functions are less exact than the
 * CPU's.
 */
const tolerances = { cpu: 1e-4, webgpu: 1e-3 };

describe.each([
  ['llama-stories260k', 'cpu'],
  ['llama-babyllama-105', 'cpu'],
  ['llama-stories260k', 'webgpu'],
] as const)('the real checkpoint %s on %s', (name, kind) => {
  const tolerance = tolerances[kind];
  const dir = join(models, name);
  const onDevice = kind === 'webgpu' && !gpu ? when(false, 'no WebGPU adapter') : whenRecorded(`models/${name}`);

  onDevice.test(
    'logits, log-probabilities, ids and texts are those of PyTorch',
    async () => {
      const own = kind === 'cpu' ? device : await openDevice({ device: kind });
      const model = await LanguageModel.load({ device: own, dir, masksPadding: false });
      const { prompts } = JSON.parse(readFileSync(join(dir, 'reference.json'), 'utf8')) as Reference;
      const items = prompts.map(({ text, continuation_text }) => ({ prompt: text, continuation: continuation_text }));
      const scores = await collected(scoreContinuations(model, items, { maxTokens: 64 }));
      scores.forEach(({ promptIds, continuationIds, logprobs, logitsHead }, i) => {
        expect(promptIds).toEqual(prompts[i].input_ids);
        expect(continuationIds).toEqual(prompts[i].continuation_ids);
        expect(logitsHead).toHaveLength(10);
        logitsHead.forEach((logit, k) =>
          expect(Math.abs(logit - prompts[i].last_logits_first10[k])).toBeLessThan(tolerance),
        );
        expect(logprobs).toHaveLength(continuationIds.length);
        logprobs.forEach((x, t) => expect(Math.abs(x - prompts[i].continuation_logprobs[t])).toBeLessThan(tolerance));
      });
      const texts = await collected(generateTexts(model, items, { ...greedy, terminatorIds: [] }));
      texts.forEach(({ ids, text, logprobs, finishReason }, i) => {
        expect(ids).toEqual(prompts[i].greedy20_ids);
        expect(text).toBe(prompts[i].greedy20_text);
        expect(logprobs).toHaveLength(20);
        expect(finishReason).toBe('length');
      });
      await model.release();
      if (own !== device) await own.close();
    },
    180_000,
  );
});

describe('a small model', () => {
  const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
  const config = {
    model_type: 'llama',
    hidden_size: 16,
    intermediate_size: 20,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    max_position_embeddings: 32,
    initializer_range: 0.5,
  };
  let model: LanguageModel;
  beforeAll(async () => {
    model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1), masksPadding: false });
  });

  const rng = new Rng(2);
  const items: PromptItem[] = Array.from({ length: 11 }, () => ({
    promptIds: Array.from({ length: rng.integer(1, 9) }, () => rng.integer(3, tokenizer.vocabSize - 1)),
  }));
  const sampling = { ...greedy, greedy: false, maxNewTokens: 6 };
  const generate = (changes: Partial<GenerateTextsOptions>, some: Items<PromptItem> = items) =>
    collected(generateTexts(model, some, { ...sampling, ...changes }));

  test('what is said does not depend on batches and windows, and comes in the order of the items', async () => {
    const said = ({ promptIds, ids }: GeneratedText) => [promptIds, ids];
    const one = (await generate({ batchSize: 1, window: 1 })).map(said);
    expect(one.map(([promptIds]) => promptIds)).toEqual(items.map(({ promptIds }) => promptIds));
    expect((await generate({ batchSize: 4, window: 8 })).map(said)).toEqual(one);
    expect((await generate({ batchSize: 11 })).map(said)).toEqual(one);
    expect((await generate({ batchSize: 11, seed: 1 })).map(said)).not.toEqual(one);
  });

  test('a text ends with a terminator, whose id and log-probability are given', async () => {
    const terminatorIds = [3, 4, 5];
    const texts = await generate({ terminatorIds, maxNewTokens: 12 });
    const ended = texts.filter(({ finishReason }) => finishReason === 'stop');
    expect(ended.length).toBeGreaterThan(5);
    for (const { ids, logprobs, finishReason, text } of texts) {
      expect(logprobs).toHaveLength(ids.length);
      expect(terminatorIds.includes(ids.at(-1)!)).toBe(finishReason === 'stop');
      expect(ids.slice(0, -1).some((id) => terminatorIds.includes(id))).toBe(false);
      expect(text).toBe(tokenizer.decode(finishReason === 'stop' ? ids.slice(0, -1) : ids));
    }
  });

  test('its log-probabilities are those that scoring gives', async () => {
    const texts = await generate({});
    const scores = await collected(
      scoreContinuations(
        model,
        texts.map(({ promptIds, ids }) => ({ promptIds, continuationIds: ids })),
        { maxTokens: 40, window: 5 },
      ),
    );
    scores.forEach(({ logprobs }, i) =>
      logprobs.forEach((logprob, t) => expect(Math.abs(logprob - texts[i].logprobs[t])).toBeLessThan(1e-4)),
    );
  });

  test('a prompt without continuation still gives its logits', async () => {
    const [alone, longer] = await collected(
      scoreContinuations(
        model,
        [
          { prompt: 'is it', continuation: '' },
          { prompt: 'is it', continuation: ' a dog' },
        ],
        {
          maxTokens: 64,
        },
      ),
    );
    expect(alone.continuationIds).toEqual([]);
    expect(alone.logprobs).toEqual([]);
    expect(longer.continuationIds).toEqual(tokenizer.encode(' a dog'));
    alone.logitsHead.forEach((logit, k) => expect(logit).toBeCloseTo(longer.logitsHead[k], 4));
  });

  test('an id without a row and an empty prompt are reported by item, in scoring and in generation', async () => {
    const beyond = [{ promptIds: [3] }, { promptIds: [3, tokenizer.vocabSize] }];
    const message = `item 1 contains the token id ${tokenizer.vocabSize}; the vocabulary has ${tokenizer.vocabSize} tokens`;
    await expect(generate({}, beyond)).rejects.toThrow(message);
    const scored = beyond.map((item) => ({ ...item, continuationIds: [3] }));
    await expect(collected(scoreContinuations(model, scored, { maxTokens: 64 }))).rejects.toThrow(message);
    await expect(generate({}, [{ promptIds: [] }])).rejects.toThrow(
      'item 0 has an empty prompt; its prompt_ids are empty, so give it at least one',
    );
    await expect(generate({}, [{ prompt: '' }])).rejects.toThrow(
      'item 0 has an empty prompt; this tokenizer adds no token before a text, so give it at least one',
    );
  });

  test('a text ends where the context does, and says the same up to there', async () => {
    const prompts = [3, 26, 31, 32, 30, 31].map((length) => ({
      promptIds: Array.from({ length }, () => rng.integer(3, tokenizer.vocabSize - 1)),
    }));
    const texts = await generate({ maxNewTokens: 8, greedy: true, terminatorIds: [], batchSize: 3 }, prompts);
    expect(texts.map(({ ids, finishReason }) => [ids.length, finishReason])).toEqual(
      [8, 7, 2, 1, 3, 2].map((length) => [length, 'length']),
    );
    const items = texts.map(({ promptIds, ids }) => ({ promptIds, continuationIds: ids }));
    const scores = await collected(scoreContinuations(model, items, { maxTokens: 64 }));
    scores.forEach(({ logprobs }, i) =>
      logprobs.forEach((x, t) => expect(Math.abs(x - texts[i].logprobs[t])).toBeLessThan(1e-4)),
    );
  });

  test('items come one at a time from a stream, and results leave as soon as their window is done', async () => {
    let taken = 0;
    const stream = async function* () {
      for (const item of items) {
        taken++;
        yield await Promise.resolve(item);
      }
    };
    const texts = generateTexts(model, stream(), { ...sampling, batchSize: 2, window: 4 });
    await texts.next();
    expect(taken).toBe(4);
    await texts.return(undefined);
  });

  test('errors have the number of the item', async () => {
    await expect(generate({}, [{}])).rejects.toThrow("item 0 has no prompt: give it 'prompt' (text) or 'prompt_ids'");
    await expect(generate({}, [...items, { promptIds: [] }])).rejects.toThrow('item 11 has an empty prompt');
    await expect(generate({}, [{ promptIds: new Array<number>(33).fill(3) }])).rejects.toThrow(
      "item 0 has 33 prompt tokens; the model's context length is 32",
    );
    await expect(collected(scoreContinuations(model, [{ prompt: 'is' }], { maxTokens: 9 }))).rejects.toThrow(
      "item 0 has no continuation: give it 'continuation' (text) or 'continuation_ids'",
    );
    await expect(
      collected(scoreContinuations(model, [{ promptIds: [3], continuationIds: [99] }], { maxTokens: 9 })),
    ).rejects.toThrow(`item 0 contains the token id 99; the vocabulary has ${tokenizer.vocabSize} tokens`);
  });
});
