// Compares tiny random encoder-decoders with outputs of PyTorch; test/make-reference-checkpoints.py made the models and the
// outputs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { collected, newFolder, when } from '@bowyer/testing';
import { loadTextModel } from './load-text-model.js';
import { readWeights, writeWeights } from '@bowyer/checkpoints';
import { loadTokenizer } from '@bowyer/text';
import { distanceBuckets } from '../seq2seq/relative-position-buckets.js';
import { generateTargets, scoreTargets } from './seq2seq-items.js';
import { Seq2SeqModel } from '../seq2seq/seq2seq-model.js';

const fixtures = fileURLToPath(new URL('../../test/seq2seq-fixtures', import.meta.url));

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

interface Reference {
  new_tokens: number;
  examples: { source: number[]; labels: number[]; logprobs: number[]; first_logits: number[]; greedy_ids: number[] }[];
}
const readJson = <T>(...path: string[]) => JSON.parse(readFileSync(join(fixtures, ...path), 'utf8')) as T;
const itemsOf = ({ examples }: Reference) =>
  examples.map(({ source, labels }) => ({ promptIds: source, continuationIds: labels }));
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 20, seed: 0, batchSize: 3 };

const gpu = await webgpuAvailable();

describe.each(readdirSync(fixtures))('%s', (name) => {
  const dir = join(fixtures, name);
  const reference = readJson<Reference>(name, 'reference.json');

  test.each([16, 4096])('logits and log-probabilities are those of PyTorch, %d places a batch', async (maxTokens) => {
    const model = await Seq2SeqModel.load({ device, dir });
    const scores = await collected(scoreTargets(model, itemsOf(reference), { maxTokens }));
    reference.examples.forEach(({ logprobs, first_logits }, i) => {
      expect(scores[i].logprobs).toHaveLength(logprobs.length);
      logprobs.forEach((x, t) => expect(Math.abs(scores[i].logprobs[t] - x)).toBeLessThan(5e-5));
      scores[i].logitsHead.forEach((x, k) => expect(Math.abs(x - first_logits[k])).toBeLessThan(5e-5));
    });
    await model.release();
  });

  test.each([1, 3])('greedy ids are those of PyTorch, %d a batch', async (batchSize) => {
    const model = await Seq2SeqModel.load({ device, dir });
    const targets = await collected(generateTargets(model, itemsOf(reference), { ...sampling, batchSize }));
    expect(targets.map(({ ids }) => ids)).toEqual(reference.examples.map(({ greedy_ids }) => greedy_ids));
    await model.release();
  });
});

// In these tests the KV cache is on the GPU. With 24 tokens it must grow, and some rows end before others.
when(gpu, 'no WebGPU adapter').describe('on a GPU', () => {
  let webgpu: Device;
  beforeAll(async () => {
    webgpu = await openDevice({ device: 'webgpu' });
  });
  afterAll(() => webgpu?.close());

  test.each(['t5', 'bart-relu'])('%s scores as in PyTorch, and says what the CPU says', async (name) => {
    const dir = join(fixtures, name);
    const reference = readJson<Reference>(name, 'reference.json');
    const items = itemsOf(reference);
    const truncated = { greedy: false, temperature: 1.5, topK: 9, topP: 0.9 };
    const options = { ...sampling, ...truncated, maxNewTokens: 24, terminatorIds: [3, 4, 5] };
    const [onGpu, onCpu] = [await Seq2SeqModel.load({ device: webgpu, dir }), await Seq2SeqModel.load({ device, dir })];
    const scores = await collected(scoreTargets(onGpu, items, { maxTokens: 4096 }));
    reference.examples.forEach(({ logprobs }, i) =>
      logprobs.forEach((x, t) => expect(Math.abs(scores[i].logprobs[t] - x)).toBeLessThan(1e-3)),
    );
    const greedy = await collected(generateTargets(onGpu, items, sampling));
    expect(greedy.map(({ ids }) => ids)).toEqual(reference.examples.map(({ greedy_ids }) => greedy_ids));
    const [said, wanted] = [
      await collected(generateTargets(onGpu, items, options)),
      await collected(generateTargets(onCpu, items, options)),
    ];
    expect(said.map(({ ids }) => ids)).toEqual(wanted.map(({ ids }) => ids));
    expect(new Set(said.map(({ ids }) => ids.length)).size).toBeGreaterThan(1);
    said.forEach(({ logprobs }, i) =>
      logprobs.forEach((x, t) => expect(Math.abs(x - wanted[i].logprobs[t])).toBeLessThan(1e-3)),
    );
    await onGpu.release();
    await onCpu.release();
  });
});

describe('generation', () => {
  const dir = join(fixtures, 'bart-relu');
  const items = itemsOf(readJson<Reference>('bart-relu', 'reference.json'));
  let model: Seq2SeqModel;
  beforeAll(async () => {
    model = await Seq2SeqModel.load({ device, dir });
  });

  test.each([
    ['sampled', { greedy: false }],
    ['tempered and truncated', { greedy: false, temperature: 1.5, topK: 9, topP: 0.9 }],
  ])('%s: said log-probabilities are those of the scorer, whatever the batch', async (_, changes) => {
    const options = { ...sampling, ...changes, maxNewTokens: 24, terminatorIds: [3, 4, 5] }; // the cache grows, and rows end early
    const together = await collected(generateTargets(model, items, options));
    const alone = await collected(generateTargets(model, items, { ...options, batchSize: 1 }));
    expect(together.map(({ ids }) => ids)).toEqual(alone.map(({ ids }) => ids));
    expect(new Set(together.map(({ ids }) => ids.length)).size).toBeGreaterThan(1);
    const pairs = items.map(({ promptIds }, i) => ({ promptIds, continuationIds: together[i].ids }));
    const scores = await collected(scoreTargets(model, pairs, { maxTokens: 4096 }));
    together.forEach(({ logprobs }, i) =>
      logprobs.forEach((x, t) => expect(Math.abs(x - scores[i].logprobs[t])).toBeLessThan(1e-4)),
    );
    const other = await collected(generateTargets(model, items, { ...options, seed: 1 }));
    expect(other.map(({ ids }) => ids)).not.toEqual(together.map(({ ids }) => ids));
  });

  test('ids and lengths beyond the vocabulary or the positions are reported', async () => {
    const first = (item: object) => collected(generateTargets(model, [item], { ...sampling, maxNewTokens: 5 }));
    await expect(first({ promptIds: Array.from({ length: 41 }, () => 3) })).rejects.toThrow(
      "item 0 has 41 prompt tokens; the model's encoder has positions for 40",
    );
    const endless = { ...sampling, terminatorIds: [], maxNewTokens: 41 };
    const [longest] = await collected(generateTargets(model, [{ promptIds: [3] }], endless));
    expect([longest.ids.length, longest.finishReason]).toEqual([40, 'length']);
    await expect(first({ promptIds: [31] })).rejects.toThrow(
      'item 0 contains the token id 31; the vocabulary has 31 tokens',
    );
    await expect(first({ prompt: 'hello' })).rejects.toThrow('the model has no tokenizer.json');
    await expect(first({})).rejects.toThrow('item 0 has no prompt');
  });
});

test('a T5 tokenizer (Unigram) is loaded: texts to ids and back', async () => {
  const tokenizer = await loadTokenizer(join(fixtures, 'flan-t5'));
  const ids = tokenizer.encodeWithSpecials('The object is a dog.');
  const pieces = ['▁The', '▁object', '▁is', '▁a', '▁', 'd', 'o', 'g', '.', '</s>'];
  expect(ids).toEqual(pieces.map((piece) => tokenizer.tokenToId(piece)));
  expect(tokenizer.decode(ids)).toBe('The object is a dog.');
  expect(tokenizer.eosTokenId).toBe(1);
  expect(tokenizer.padTokenId).toBe(0);
});

test('config.json decides the kind of model; texts go in and out where there is a tokenizer', async () => {
  const model = await loadTextModel({ device, dir: join(fixtures, 'flan-t5') });
  expect(model).toBeInstanceOf(Seq2SeqModel);
  const [{ text }] = await collected(
    generateTargets(model as Seq2SeqModel, [{ prompt: 'The object is a dog.is it a cat?' }], sampling),
  );
  expect(typeof text).toBe('string');
  await model.release();
});

// The expected buckets follow from T5's formula: each direction has half of the 32 buckets. The first 8 of these are for single
// distances; the others are spaced logarithmically, and distance 16 is ln 2 / ln 16 = 1/4 of the way through them.
test('distances fall into T5’s buckets', () => {
  const encoder = distanceBuckets({ buckets: 32, maxDistance: 128, bidirectional: true });
  expect([0, 7, 8, 11, 12, 16, 23, 32, 64, 90, 91, 127, 128].map((d) => encoder[d])).toEqual([
    0, 7, 8, 8, 9, 10, 11, 12, 14, 14, 15, 15, 15,
  ]);
  const decoder = distanceBuckets({ buckets: 32, maxDistance: 128, bidirectional: false });
  expect([15, 16, 31, 32, 64, 128].map((d) => decoder[d])).toEqual([15, 16, 21, 21, 26, 31]);
});

describe('weights', () => {
  let dir: string;
  beforeEach(() => (dir = newFolder()));

  test('a missing, an extra and a misshapen tensor are named', async () => {
    writeFileSync(join(dir, 'config.json'), readFileSync(join(fixtures, 't5', 'config.json')));
    const { 'shared.weight': shared, ...rest } = await readWeights(join(fixtures, 't5'));
    await writeWeights(dir, rest);
    await expect(Seq2SeqModel.load({ device, dir })).rejects.toThrow("no tensor 'shared.weight' of shape [31, 16]");
    await writeWeights(dir, { ...rest, 'shared.weight': { shape: [16, 31], data: shared.data } });
    await expect(Seq2SeqModel.load({ device, dir })).rejects.toThrow(
      "'shared.weight' has shape [16, 31], not [31, 16]",
    );
    await writeWeights(dir, { ...rest, 'shared.weight': shared, 'adapter.weight': shared });
    await expect(Seq2SeqModel.load({ device, dir })).rejects.toThrow("a tensor 'adapter.weight'");
    // Many T5 checkpoints contain the embedding also under the name `encoder.embed_tokens.weight`.
    await writeWeights(dir, { ...rest, 'encoder.embed_tokens.weight': shared, 'lm_head.weight': shared });
    await (await Seq2SeqModel.load({ device, dir })).release();
  });

  test('fresh weights say something', async () => {
    const config = readJson<Record<string, unknown>>('flan-t5', 'config.json');
    const model = await Seq2SeqModel.create({ device, config, tokenizer: null, rng: new Rng(0) });
    const [target] = await collected(
      generateTargets(model, [{ promptIds: [5, 6, 1] }], { ...sampling, maxNewTokens: 3 }),
    );
    expect(target.ids.length).toBeGreaterThan(0);
    await model.release();
  });
});
