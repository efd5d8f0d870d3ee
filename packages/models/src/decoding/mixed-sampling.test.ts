// Tests that rows with different sampling options in one call get the same tokens as in a call of their own.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { DecodePrograms } from './decode-programs.js';
import { Episodes } from './episodes.js';
import type { SamplingOptions } from './sampling-options.js';

const config = tinyConfig({ n_positions: 40, vocab_size: 40 });
const plain = { temperature: 1, topK: 0, topP: 1, greedy: false, terminatorIds: [] as number[] };
const samplings = [
  plain,
  { ...plain, greedy: true },
  { ...plain, temperature: 0.5, terminatorIds: [3, 7] },
  { ...plain, temperature: 3, topK: 5 },
  { ...plain, topP: 0.6 },
  { ...plain, temperature: 2, topK: 12, topP: 0.7, terminatorIds: [1, 2, 4, 8, 16] },
  { ...plain, temperature: 1e-13 },
  { ...plain, topK: 1 },
];

const device = await openDevice({ device: 'cpu', threads: 1 });
const parameters = await device.createState(tinyParameters(config, 21));
const programs = new DecodePrograms({ device, architecture: gpt2(config), parameters, maskedTokenIds: [5] });
const options = { programs, contextLength: 40, drawsPerToken: true };
const mixed = await Episodes.open({ ...options, slots: samplings.length, sharesSampler: true });
const alone = await Episodes.open({ ...options, slots: 1 });
afterAll(async () => {
  await mixed.close();
  await alone.close();
  await programs.release();
  await device.close();
});

test.each([1, 2, 3])('seed %d', async (seed) => {
  const options: SamplingOptions = { ...plain, maxNewTokens: 12 };
  const prompt = (slot: number) => [1 + slot, 2, 3, 4].slice(0, 2 + (slot % 3));
  const turns = samplings.map((sampling, slot) => ({
    slot,
    reset: true,
    tokens: prompt(slot),
    sampling,
    rng: new Rng(100 * seed + slot),
  }));
  const together = await mixed.act(turns, options);
  for (const [slot, sampling] of samplings.entries()) {
    const turn = { slot: 0, reset: true, tokens: prompt(slot), rng: new Rng(100 * seed + slot) };
    const [own] = await alone.act([turn], { ...sampling, maxNewTokens: 12 });
    const { ids, terminated, logprobs, samplingLogprobs } = together[slot];
    expect([ids, terminated]).toEqual([own.ids, own.terminated]);
    logprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(own.logprobs[t], 4));
    samplingLogprobs.forEach((logprob, t) => expect(logprob).toBeCloseTo(own.samplingLogprobs[t], 4));
  }
});

test('a call without truncated rows, and one of such rows alone', async () => {
  const options: SamplingOptions = { ...plain, maxNewTokens: 3 };
  for (const own of [[plain, { ...plain, greedy: true }], [{ ...plain, topK: 2 }]]) {
    const turns = own.map((sampling, slot) => ({ slot, reset: true, tokens: [1, 2], sampling, rng: new Rng(slot) }));
    for (const { ids } of await mixed.act(turns, options)) expect(ids).toHaveLength(3);
  }
});

test('a turn of its own kind is refused where episodes have one sampler a call', async () => {
  const turn = { slot: 0, reset: true, tokens: [1], sampling: plain, rng: new Rng(0) };
  await expect(alone.act([turn], { ...plain, maxNewTokens: 1 })).rejects.toThrow(
    'Episodes.act: slot 0 is sampled in its own way, which needs sharesSampler',
  );
});
