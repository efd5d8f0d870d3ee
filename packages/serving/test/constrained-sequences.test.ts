// Tests answers of a model with random weights under a constraint: they always follow the grammar.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { ConstraintCompiler, HuggingFaceTokenizer, jsonValue, text, TokenVocabulary, type Grammar } from '@bowyer/text';
import { tinyLlama } from '@bowyer/testing';
import { SequenceBatcher, type SequenceRequest } from '../src/engine/sequence-batcher.js';

const fixture = resolve(import.meta.dirname, '../../text/test/tokenizer-fixtures/gpt2.json');
const { definition } = JSON.parse(readFileSync(fixture, 'utf8')) as { definition: Record<string, unknown> };
const END = new HuggingFaceTokenizer(definition, {}).vocabSize;
const tokenizer = new HuggingFaceTokenizer(
  { ...definition, added_tokens: [{ id: END, content: '<|end|>', special: true, normalized: false }] },
  { eos_token: '<|end|>' },
);
const compiler = new ConstraintCompiler(new TokenVocabulary(tokenizer));

const schema = {
  type: 'object',
  properties: { n: { type: 'string', maxLength: 3 }, u: { enum: ['C', 'F'] }, d: { type: 'integer' } },
  required: ['n', 'u'],
};

const device = await openDevice({ device: 'cpu', threads: 1 });
const config = tinyLlama(160);
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
const batcher = await SequenceBatcher.open(model, { slots: 9, maxQueued: 16 });
afterAll(async () => {
  await batcher.close();
  await model.release();
  await device.close();
});

interface Answer {
  text: string;
  finishReason: string;
  logprobs: number[];
  maskedLogprobs: number[];
  terminator?: { id: number; logprob: number; maskedLogprob?: number };
}

async function answer(grammar: Grammar | null, seed: number, changes: Partial<SequenceRequest> = {}): Promise<Answer> {
  const ids: number[] = [];
  const logprobs: number[] = [];
  const maskedLogprobs: number[] = [];
  const [end] = batcher.submit([
    {
      promptIds: tokenizer.encode('the weather'),
      maxNewTokens: 28,
      sampling: { temperature: 1, topK: 0, topP: 1, greedy: false },
      terminatorIds: [END],
      rng: new Rng(seed),
      signal: new AbortController().signal,
      ...(grammar && { constraint: compiler.compile(grammar).start() }),
      onTokens: (own, raw, _top, masked = []) => {
        ids.push(...own);
        logprobs.push(...raw);
        maskedLogprobs.push(...masked);
        return true;
      },
      ...changes,
    },
  ]);
  const { finishReason, terminator } = await end;
  return { text: tokenizer.decode(ids), finishReason, logprobs, maskedLogprobs, terminator };
}

test('the first constrained answer follows a free one', async () => {
  const free = await answer(null, 7);
  const [{ text: json }, again] = await Promise.all([answer(jsonValue(schema), 7), answer(null, 7)]);
  expect(JSON.parse(json)).toHaveProperty('u');
  expect(again.text).toBe(free.text); // the biased program makes the same choice
});

test('every answer is finished and valid, beside answers that are free', async () => {
  const grammar = jsonValue(schema);
  const answers = await Promise.all([
    ...Array.from({ length: 8 }, (_, seed) => answer(grammar, seed)),
    answer(null, 100),
  ]);
  for (const { text: json, finishReason, logprobs, maskedLogprobs, terminator } of answers.slice(0, 8)) {
    const value = JSON.parse(json) as Record<string, unknown>;
    expect(['C', 'F']).toContain(value.u);
    expect([...(value.n as string)].length).toBeLessThanOrEqual(3);
    expect(finishReason).toBe('stop');
    expect(terminator?.id).toBe(END);
    expect(terminator?.maskedLogprob).toBeCloseTo(0, 4); // only the end could follow
    expect(maskedLogprobs).toHaveLength(logprobs.length);
    // A token's probability among fewer tokens is at least as large.
    maskedLogprobs.forEach((masked, i) => expect(masked).toBeGreaterThan(logprobs[i] - 1e-4));
  }
  const free = await answer(null, 100);
  expect(answers[8].text).toBe(free.text);
  expect(answers[8].maskedLogprobs).toEqual([]);
});

test('greedy, truncated and biased sampling stay within the grammar', async () => {
  const grammar = jsonValue(schema);
  const variants: Partial<SequenceRequest>[] = [
    { sampling: { temperature: 1, topK: 0, topP: 1, greedy: true } },
    { sampling: { temperature: 3, topK: 5, topP: 1, greedy: false } },
    { sampling: { temperature: 0.5, topK: 0, topP: 0.3, greedy: false } },
    { adjustments: { bias: [[END, 100]], presencePenalty: 1, frequencyPenalty: 1 } },
  ];
  for (const { text: json, finishReason } of await Promise.all(variants.map((each) => answer(grammar, 1, each)))) {
    expect(finishReason).toBe('stop');
    expect(JSON.parse(json)).toHaveProperty('u');
  }
});

test('an answer is finished in as many tokens as it needs; with fewer it is cut', async () => {
  const grammar = jsonValue(schema);
  const { leastTokens } = compiler.compile(grammar);
  const maxNewTokens = leastTokens + 1;
  const answers = await Promise.all([0, 1, 2, 3, 4].map((seed) => answer(grammar, seed, { maxNewTokens })));
  for (const { text: json, finishReason } of answers)
    expect([finishReason, Object.keys(JSON.parse(json) as object)]).toEqual(['stop', ['n', 'u']]);
  const cut = await answer(text('a text of its own'), 1, { maxNewTokens: 3 });
  expect([cut.finishReason, 'a text of its own'.startsWith(cut.text)]).toEqual(['length', true]);
});

test('where nothing ends an answer, it ends with its grammar', async () => {
  const { text: said, finishReason } = await answer(text('yes'), 1, { terminatorIds: [] });
  expect([said, finishReason]).toEqual(['yes', 'stop']);
});

test('an answer whose grammar takes too much work fails, and the others continue', async () => {
  const ahead = Array.from({ length: 30 }, (_, i) => `(?=.*${'abcdefghij'[i % 10]}${i})`).join('');
  const endless = jsonValue({ type: 'string', pattern: `^(?:[a-z]${ahead}.*)?$` });
  const [failed, alone] = await Promise.allSettled([answer(endless, 1), answer(jsonValue(schema), 2)]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'GrammarEffortError' } });
  expect(alone).toMatchObject({ status: 'fulfilled', value: await answer(jsonValue(schema), 2) });
});
