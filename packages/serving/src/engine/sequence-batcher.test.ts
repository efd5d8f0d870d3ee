// Tests answers that are generated in one batch: the text of each, the order of tokens, and how much of each prompt is processed.
import { jest } from '@jest/globals';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { tinyLlama } from '@bowyer/testing';
import { SequenceBatcher, type SequenceBatcherOptions, type SequenceRequest } from './sequence-batcher.js';

const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no . the big red fox runs over my old house\n']);
const config = tinyLlama(4096, { num_hidden_layers: 2 });
const PREFIX_CACHE_BYTES = 2 ** 20;

const device = await openDevice({ device: 'cpu', threads: 1 });
const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(5) });
/** A model with so many keys and values per position that the batcher stores the common prefix of several slots only once. */
const sharing = await LanguageModel.create({
  device,
  config: { ...tinyLlama(1024, { num_hidden_layers: 8 }), hidden_size: 256 },
  tokenizer,
  rng: new Rng(6),
});
afterAll(() => device.close());

async function withBatcher<T>(
  { of = model, ...options }: Partial<SequenceBatcherOptions> & { of?: LanguageModel },
  use: (batcher: SequenceBatcher) => Promise<T>,
) {
  const batcher = await SequenceBatcher.open(of, { slots: 4, maxQueued: 64, ...options });
  try {
    return await use(batcher);
  } finally {
    await batcher.close();
  }
}

const words = (count: number, seed: number) => {
  const rng = new Rng(seed);
  return Array.from({ length: count }, () => rng.integer(4, tokenizer.vocabSize - 1));
};

interface Heard {
  name: string;
  ids: readonly number[];
}

const request = (promptIds: readonly number[], changes: Partial<SequenceRequest> = {}): SequenceRequest => ({
  promptIds,
  maxNewTokens: 8,
  sampling: { temperature: 1, topK: 0, topP: 1, greedy: false },
  terminatorIds: [],
  rng: new Rng(7),
  signal: new AbortController().signal,
  onTokens: () => true,
  ...changes,
});

/** Generates an answer. @returns it, and the number of prompt tokens that were found in the cache */
async function answer(batcher: SequenceBatcher, promptIds: readonly number[], changes: Partial<SequenceRequest> = {}) {
  const said: number[] = [];
  const logprobs: number[] = [];
  const onTokens = (ids: readonly number[], of: readonly number[]) => (said.push(...ids), logprobs.push(...of), true);
  const { cachedTokens } = await batcher.submit([request(promptIds, { onTokens, ...changes })])[0];
  return { said, logprobs, cachedTokens };
}

test('a long prompt is read between the tokens of others, and a short prompt behind it does not wait for its end', async () => {
  await withBatcher({ prefixCacheBytes: 0 }, async (batcher) => {
    const heard: Heard[] = [];
    const listen = (name: string) => (ids: readonly number[]) => (heard.push({ name, ids }), true);
    const ask = (name: string, promptIds: readonly number[], maxNewTokens: number) =>
      batcher.submit([request(promptIds, { maxNewTokens, onTokens: listen(name), rng: new Rng(1) })])[0];
    const running = ask('running', words(5, 1), 40);
    while (heard.length < 3) await new Promise((resolve) => setImmediate(resolve));
    const others = [ask('long', words(2000, 2), 2), ask('short', words(5, 3), 2)];
    await Promise.all([running, ...others]);
    const firstOf = (name: string) => heard.findIndex((piece) => piece.name === name);
    expect(heard.every(({ ids }) => ids.length === 1)).toBe(true);
    expect(firstOf('short')).toBeLessThan(firstOf('long'));
    // The long prompt of 2,000 tokens is processed in eight chunks of 256, and the running answer gets a token after each of
    // them.
    const between = heard.slice(firstOf('short'), firstOf('long')).filter(({ name }) => name === 'running').length;
    expect(between).toBeGreaterThanOrEqual(6);
  });
});

test.each([
  ['copied', model],
  ['shared', sharing],
])('an answer is the same alone and in company, with its prompt in pieces or %s, and after others', async (_, of) => {
  const system = words(400, 4);
  const prompts = [5, 6, 7, 8].map((seed) => [...system, ...words(60 * (seed - 4), seed)]);
  const alone = await Promise.all(
    prompts.map((prompt) => withBatcher({ of, slots: 1 }, (batcher) => answer(batcher, prompt, { rng: new Rng(9) }))),
  );
  await withBatcher({ of, prefixCacheBytes: 32 * PREFIX_CACHE_BYTES }, async (batcher) => {
    for (let round = 0; round < 3; round++) {
      if (round === 2) await batcher.changeWeights(() => Promise.resolve());
      // Another answer keeps the batch busy, so that prompts are processed in chunks of 256 tokens.
      const [company] = batcher.submit([request(words(30, 10), { maxNewTokens: 30 })]);
      const said = await Promise.all(prompts.map((prompt) => answer(batcher, prompt, { rng: new Rng(9) })));
      await company;
      said.forEach((own, i) => {
        expect(own.said).toEqual(alone[i].said);
        own.logprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(alone[i].logprobs[t], 4));
        // In the second round, the cache contains all tokens except the last one, or except those of the last incomplete block.
        if (round === 1) expect(own.cachedTokens).toBeGreaterThanOrEqual(prompts[i].length - 32);
      });
    }
  });
});

test('answers that are sampled differently share each step, and say what they say alone', async () => {
  const samplings = [
    { temperature: 1, topK: 0, topP: 1, greedy: true },
    { temperature: 0.7, topK: 0, topP: 1, greedy: false },
    { temperature: 1.5, topK: 3, topP: 1, greedy: false },
    { temperature: 1, topK: 0, topP: 0.6, greedy: false },
  ].map((sampling, i) => ({ sampling, terminatorIds: i === 1 ? [tokenizer.eosTokenId] : [] }));
  const ask = (batcher: SequenceBatcher, i: number) =>
    answer(batcher, words(20, i), { ...samplings[i], rng: new Rng(i), maxNewTokens: 6 });
  const alone: unknown[] = [];
  for (const i of samplings.keys()) alone.push((await withBatcher({ slots: 1 }, (batcher) => ask(batcher, i))).said);
  const rows: number[] = [];
  const open = model.openEpisodes.bind(model);
  const opened = jest.spyOn(model, 'openEpisodes').mockImplementation(async (options) => {
    const episodes = await open(options);
    const act = episodes.act.bind(episodes);
    episodes.act = (turns, given) => (rows.push(turns.length), act(turns, given));
    return episodes;
  });
  await withBatcher({}, async (batcher) => {
    const together = await Promise.all([...samplings.keys()].map((i) => ask(batcher, i)));
    expect(together.map(({ said }) => said)).toEqual(alone);
  });
  opened.mockRestore();
  expect(rows.slice(0, 3)).toEqual([4, 4, 4]);
});

test('the pool keeps prefixes that slots have overwritten; without it they are computed again; new weights empty it', async () => {
  const [first, second] = [words(200, 11), words(300, 12)];
  for (const [prefixCacheBytes, cached] of [
    [PREFIX_CACHE_BYTES, 192],
    [0, 0],
  ])
    await withBatcher({ slots: 1, prefixCacheBytes }, async (batcher) => {
      expect(batcher.prefixCacheTokens > 0).toBe(prefixCacheBytes > 0);
      expect((await answer(batcher, first)).cachedTokens).toBe(0);
      expect((await answer(batcher, first)).cachedTokens).toBe(199);
      expect((await answer(batcher, second)).cachedTokens).toBe(0);
      expect((await answer(batcher, first)).cachedTokens).toBe(cached);
      await batcher.changeWeights(() => Promise.resolve());
      expect((await answer(batcher, first)).cachedTokens).toBe(0);
    });
});

test('contexts of different lengths have caches of their own, and what they begin with in common is copied between these', async () => {
  await withBatcher({ prefixCacheBytes: 2 ** 22 }, async (batcher) => {
    const prompt = words(1000, 13);
    const short = await answer(batcher, prompt, { maxNewTokens: 6, rng: new Rng(3) });
    const said: number[] = [];
    const onTokens = (ids: readonly number[]) => said.push(...ids) < 6;
    const [long] = batcher.submit([request(prompt, { maxNewTokens: 2000, rng: new Rng(3), onTokens })]);
    expect(await long).toMatchObject({ finishReason: 'stop', cachedTokens: 992 });
    expect(said).toEqual(short.said);
  });
});

test('a client that disconnects while its prompt is read or a token is computed frees the slot at once', async () => {
  await withBatcher({ slots: 1, prefixCacheBytes: PREFIX_CACHE_BYTES }, async (batcher) => {
    const gone = new AbortController();
    const [left] = batcher.submit([request(words(4000, 14), { signal: gone.signal })]);
    const [next] = batcher.submit([request(words(5, 15), { maxNewTokens: 3 })]);
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    gone.abort();
    expect(await left).toMatchObject({ finishReason: 'aborted', newTokens: 0 });
    expect(await next).toMatchObject({ finishReason: 'length', newTokens: 3 });
    const leaving = new AbortController();
    let heard = 0;
    const onTokens = () => (++heard === 2 && leaving.abort(), true);
    const [second] = batcher.submit([request(words(5, 16), { maxNewTokens: 1000, signal: leaving.signal, onTokens })]);
    expect(await second).toMatchObject({ finishReason: 'aborted', newTokens: 2 });
    expect(batcher.load).toEqual({ running: 0, waiting: 0 });
  });
});
