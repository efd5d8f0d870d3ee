// Tests that a recorded answer's constraint, compiled again, gives masks with which each token has the log-probability with
// which it was sampled.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { ConstraintCompiler, HuggingFaceTokenizer, TokenVocabulary } from '@bowyer/text';
import { tinyLlama } from '@bowyer/testing';
import { SequenceBatcher } from '../src/engine/sequence-batcher.js';
import type { AnswerPlace, AskedAnswer } from '../src/generation/answer-grammar.js';
import { constraintOfKey, grammarKey } from '../src/generation/grammar-key.js';
import { RecordedMasks } from '../src/index.js';
import { hermes } from '../src/tool-calls/formats/hermes.js';

const fixture = resolve(import.meta.dirname, '../../text/test/tokenizer-fixtures/gpt2.json');
const { definition } = JSON.parse(readFileSync(fixture, 'utf8')) as { definition: Record<string, unknown> };
const END = new HuggingFaceTokenizer(definition, {}).vocabSize;
const special = (content: string, id: number) => ({ id, content, special: true, normalized: false });
const tokenizer = new HuggingFaceTokenizer(
  { ...definition, added_tokens: [special('<|end|>', END), special('<|stop|>', END + 1)] },
  { eos_token: '<|end|>' },
);

const device = await openDevice({ device: 'cpu', threads: 1 });
const config = tinyLlama(160);
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
const batcher = await SequenceBatcher.open(model, { slots: 4, maxQueued: 16 });
afterAll(async () => {
  await batcher.close();
  await model.release();
  await device.close();
});

const promptIds = tokenizer.encode('the weather');
const schema = {
  type: 'object',
  properties: { n: { type: 'string', maxLength: 3 }, u: { enum: ['C', 'F'] }, d: { type: 'integer' } },
  required: ['n', 'u'],
};
const free = { format: { kind: 'text' }, toolChoice: 'auto', parallelCalls: true } as const;
const parts = { style: null, startsInReasoning: false, tools: [] };
const place: AnswerPlace = { parts, mayReason: false };
const weather = { name: 'weather', parameters: schema, strict: true };

const asked: [string, AskedAnswer, AnswerPlace, number][] = [
  ['an object by its schema', { ...free, format: { kind: 'schema', schema } }, place, 40],
  ['an object with few tokens left', { ...free, format: { kind: 'schema', schema } }, place, 16],
  ['any object, cut by its limit', { ...free, format: { kind: 'object' } }, { parts: null, mayReason: false }, 6],
  [
    'a call of a tool behind reasoning',
    { ...free, toolChoice: 'required', parallelCalls: false },
    {
      parts: {
        style: { format: hermes, afterReasoning: { some: '\n', none: '' } },
        startsInReasoning: true,
        tools: [weather],
      },
      mayReason: true,
    },
    60,
  ],
];

test.each(asked)(
  '%s: scored under its masks, an answer is as likely as it was',
  async (_, question, where, maxTokens) => {
    const constraint = grammarKey(question, where);
    const compiler = new ConstraintCompiler(new TokenVocabulary(tokenizer, { endIds: [END] }));
    const compiled = compiler.compile(constraintOfKey(constraint, { tokenizer }).grammar!);
    const stopIds = [END + 1];
    const answers = await Promise.all(
      [0, 1, 2, 3].map(async (seed) => {
        const ids: number[] = [];
        const logprobs: number[] = [];
        const [ended] = batcher.submit([
          {
            promptIds,
            maxNewTokens: maxTokens,
            sampling: { temperature: 1, topK: 0, topP: 1, greedy: false },
            terminatorIds: [END, ...stopIds],
            constraint: compiled.start(),
            rng: new Rng(seed),
            signal: new AbortController().signal,
            onTokens: (own, _raw, _top, masked = []) => {
              ids.push(...own);
              logprobs.push(...masked);
              return true;
            },
          },
        ]);
        const { terminator } = await ended;
        if (terminator) {
          ids.push(terminator.id);
          logprobs.push(terminator.maskedLogprob!);
        }
        return { ids, logprobs, terminated: terminator !== undefined };
      }),
    );
    const masks = new RecordedMasks({ model, template: null });
    const examples = answers.map(({ ids, terminated }) => {
      const whole = [...promptIds, ...ids];
      const before = promptIds.length - 1;
      const tokenMasks = masks.masksOf({ constraint, ids, terminated, maxTokens, stopIds });
      return {
        ids: Int32Array.from(whole.slice(0, -1)),
        targets: Int32Array.from(whole.slice(1)),
        weights: Float32Array.from(whole.slice(1), (_id, t) => Number(t >= before)),
        tokenMasks: [...Array<undefined>(before), ...tokenMasks],
      };
    });
    const scored = await model.logprobs(examples);
    answers.forEach(({ logprobs }, a) => {
      expect(logprobs.length).toBeGreaterThan(2);
      const own = [...scored[a].slice(promptIds.length - 1)];
      expect(own).toHaveLength(logprobs.length);
      expect(Math.max(...own.map((logprob, t) => Math.abs(logprob - logprobs[t])))).toBeLessThan(1e-5);
    });
  },
);

test('equal masks are one array, and tokens that the constraint never allowed are refused', () => {
  const masks = new RecordedMasks({ model, template: null });
  const constraint = grammarKey({ ...free, format: { kind: 'object' } }, place);
  const answer = { constraint, terminated: true, maxTokens: 40, stopIds: [] };
  const ids = [...tokenizer.encode('{"aa": "b", "aaa": "b"}'), END];
  const found = masks.masksOf({ ...answer, ids });
  expect(found).toHaveLength(ids.length);
  expect(new Set(found).size).toBeLessThan(ids.length);
  expect(masks.masksOf({ ...answer, ids }).every((mask, t) => mask === found[t])).toBe(true);
  expect(() => masks.masksOf({ ...answer, ids: [...tokenizer.encode('weather'), END] })).toThrow(
    'does not allow token',
  );
  expect(() => masks.masksOf({ ...answer, constraint: grammarKey(free, place), ids })).toThrow('allows any text');
});
