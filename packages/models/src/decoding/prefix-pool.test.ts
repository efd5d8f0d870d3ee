// Tests that prompts which are read in several calls, or whose prefixes are copied from the pool, lead to the same utterances as
// prompts that are read at once.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes, type EpisodesOptions } from './episodes.js';
import type { PrefixPool } from './prefix-pool.js';
import { BLOCK_TOKENS } from './prefix-tree.js';

const config = tinyConfig({ n_positions: 256, vocab_size: 13 });
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, terminatorIds: [], maxNewTokens: 6 };
const tokens = (length: number, seed: number) => {
  const rng = new Rng(seed);
  return Array.from({ length }, () => rng.integer(0, 12));
};

const device = await openDevice({ device: 'cpu', threads: 1 });
const parameters = await device.createState(tinyParameters(config, 21));
const programs = new DecodePrograms({ device, architecture: gpt2(config), parameters, maskedTokenIds: [] });
afterAll(() => device.close());

const open = (options: Partial<EpisodesOptions> = {}) =>
  Episodes.open({ programs, contextLength: 256, slots: 3, drawsPerToken: true, ...options });

/** Samples the continuation of a prompt with a new cache and without a pool, for comparison. */
async function alone(prompt: readonly number[], maxNewTokens = 6, seed = 9) {
  const episodes = await open({ slots: 1 });
  const [{ ids, logprobs }] = await episodes.act([{ slot: 0, tokens: prompt, rng: new Rng(seed) }], {
    ...sampling,
    maxNewTokens,
  });
  await episodes.close();
  return { ids, logprobs: [...logprobs] };
}

async function withPool(blocks: number, use: (pool: PrefixPool) => Promise<void>): Promise<void> {
  const { n_layer: layers, n_embd: width } = config;
  const pool = (await programs.openPool(blocks * 2 * layers * width * BLOCK_TOKENS * 4))!;
  expect(pool.tokens).toBe(blocks * BLOCK_TOKENS);
  await use(pool);
  await pool.close();
}

test('a text that several calls generate is the one of a single call, whatever their lengths', async () => {
  const prompt = tokens(10, 1);
  const expected = await alone(prompt, 9);
  const episodes = await open();
  const rng = new Rng(9);
  const said: number[] = [];
  for (const [i, maxNewTokens] of [1, 4, 1, 3].entries()) {
    const [{ ids }] = await episodes.act([{ slot: 1, tokens: i === 0 ? prompt : [], rng }], {
      ...sampling,
      maxNewTokens,
    });
    said.push(...ids);
  }
  expect(said).toEqual(expected.ids);
  await episodes.close();
});

test('a prompt that is read in pieces, between the turns of others, is the prompt read at once', async () => {
  const [long, short] = [tokens(150, 2), tokens(5, 3)];
  const [expected, ofShort] = [await alone(long), await alone(short, 4)];
  const episodes = await open();
  const rng = new Rng(9);
  const said: number[] = [];
  for (let piece = 0; piece < 3; piece++) {
    expect(await episodes.read([{ slot: 0, tokens: long.slice(40 * piece, 40 * piece + 40) }], sampling)).toEqual([40]);
    const turn = { slot: 2, tokens: piece === 0 ? short : [], rng };
    said.push(...(await episodes.act([turn], { ...sampling, maxNewTokens: piece === 0 ? 2 : 1 }))[0].ids);
  }
  const [last] = await episodes.act([{ slot: 0, tokens: long.slice(120), rng: new Rng(9) }], sampling);
  expect([last.ids, last.contextTokens, last.readTokens]).toEqual([expected.ids, 150, 30]);
  last.logprobs.forEach((logprob, i) => expect(logprob).toBeCloseTo(expected.logprobs[i], 5));
  expect(said).toEqual(ofShort.ids);
  await episodes.close();
});

test('what a text begins with comes from the pool, also into another cache, in the middle of a row, and after rows have moved', async () => {
  await withPool(6, async (pool) => {
    const [first, second] = [await open({ pool }), await open({ pool })];
    const system = tokens(100, 4);
    await first.act([{ slot: 1, tokens: [...system, ...tokens(20, 5)], rng: new Rng(1) }], sampling);
    await first.retain([1]);
    first.truncate(1, 0);
    const prompts = [6, 7].map((seed) => [...system, ...tokens(30, seed)]);
    expect(first.cachedTokens(0, prompts[0])).toBe(96); // three blocks of 32
    const expected = [await alone(prompts[0]), await alone(prompts[1])];
    for (const episodes of [first, second]) {
      await episodes.act([{ slot: 2, tokens: tokens(140, 8), rng: new Rng(2) }], sampling); // this turn changes the capacity
      await episodes.act([{ slot: 0, tokens: prompts[0].slice(0, 40), rng: new Rng(3) }], {
        ...sampling,
        maxNewTokens: 1,
      });
      episodes.truncate(0, 40);
      const said = await episodes.act(
        prompts.map((prompt, i) => ({ slot: i, tokens: prompt.slice(i === 0 ? 40 : 0), rng: new Rng(9) })),
        sampling,
      );
      said.forEach(({ ids, logprobs, readTokens }, i) => {
        expect([ids, readTokens]).toEqual([expected[i].ids, 130 - 96]);
        logprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(expected[i].logprobs[t], 5));
      });
    }
    expect(second.promptTokens.copied).toBe(96 - 40 + 96);
    await first.close();
    await second.close();
  });
});

test('a full pool drops the least recently used blocks, and new ones take their place', async () => {
  await withPool(3, async (pool) => {
    const episodes = await open({ pool });
    const texts = [10, 11, 12].map((seed) => tokens(70, seed));
    for (const text of texts) {
      await episodes.act([{ slot: 0, reset: true, tokens: text, rng: new Rng(1) }], sampling);
      await episodes.retain([0]);
    }
    episodes.truncate(0, 0);
    expect(texts.map((text) => episodes.cachedTokens(0, text))).toEqual([0, 32, 64]);
    for (const text of texts) {
      const [{ ids }] = await episodes.act([{ slot: 1, reset: true, tokens: text, rng: new Rng(9) }], sampling);
      expect(ids).toEqual((await alone(text)).ids);
    }
    pool.clear();
    expect(pool.find(texts[2])).toEqual([]);
    await episodes.close();
  });
});
