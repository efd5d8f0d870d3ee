// Tests that tokens which were sampled under masks are scored and trained among the tokens that each mask allowed.
import { Rng, tokenMaskOf, type TokenMask } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device, type Value } from '@bowyer/graph';
import { describeOnDevices, newFolder, when } from '@bowyer/testing';
import { wordLevelTokenizer } from '@bowyer/text';
import type { HostTensors } from '@bowyer/checkpoints';
import { expectCentralDifferences, inFloat64 } from '../../test/reference/central-differences.js';
import { gpt2LoopLogits, logprobOf } from '../../test/reference/gpt2-loops.js';
import { randomExamples, tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import type { TokenExample } from '../batching/token-batches.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { architectureFor } from '../language-model/architectures.js';
import { LanguageModel } from '../language-model/language-model.js';
import { TokenScorer } from './token-scorer.js';
import { scoringGraph, trainingGraph } from './training-graph.js';

/** Draws a mask of some tokens, including `target`. */
const randomMask = (target: number, vocabSize: number, rng: Rng): TokenMask =>
  tokenMaskOf([target, ...Array.from({ length: rng.integer(0, 12) }, () => rng.integer(0, vocabSize - 1))]);

/** The number of words is not a multiple of 8 or 32. */
const tokenizer = wordLevelTokenizer([Array.from({ length: 70 }, (_, i) => `w${i}`).join(' ')], { minCount: 1 });
const { vocabSize } = tokenizer;
const config = { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 16, n_positions: 64, initializer_range: 0.3 };
const sampling = {
  temperature: 1,
  topK: 0,
  topP: 1,
  greedy: false,
  maxNewTokens: 1,
  terminatorIds: [],
  masksTokens: true,
};

const freeText: TokenExample = {
  ids: Int32Array.of(5, 9, 30, 12),
  targets: Int32Array.of(9, 30, 12, 71),
  weights: new Float32Array(4).fill(1),
};

/** Samples answers of 30 tokens with their log-probabilities; every third token has no mask. */
async function sampled(model: LanguageModel, answers: number) {
  const rng = new Rng(5);
  const episodes = await model.openEpisodes({ slots: answers });
  const prompt = [3, 9, 4];
  const texts = Array.from({ length: answers }, () => ({
    ids: [...prompt],
    logprobs: [] as number[],
    masks: [] as (TokenMask | null)[],
  }));
  for (let t = 0; t < 30; t++) {
    const turns = texts.map(({ ids }, slot) => ({
      slot,
      reset: t === 0,
      tokens: t === 0 ? ids : [],
      rng: new Rng(100 * t + slot),
      tokenMask: t % 3 === 2 ? null : randomMask(rng.integer(5, vocabSize - 1), vocabSize, rng),
    }));
    (await episodes.act(turns, sampling)).forEach(({ ids: [id], maskedLogprobs }, slot) => {
      texts[slot].ids.push(id);
      texts[slot].logprobs.push(maskedLogprobs![0]);
      texts[slot].masks.push(turns[slot].tokenMask);
    });
  }
  await episodes.close();
  return texts.map(({ ids, logprobs, masks }) => {
    const before = prompt.length - 1;
    const example: TokenExample = {
      ids: Int32Array.from(ids.slice(0, -1)),
      targets: Int32Array.from(ids.slice(1)),
      weights: Float32Array.from(ids.slice(1), (_, t) => Number(t >= before)),
      tokenMasks: [...Array<undefined>(before), ...masks],
    };
    return { example, logprobs: [...Array<number>(before).fill(0), ...logprobs] };
  });
}

describeOnDevices(await webgpuAvailable(), (kind) => {
  let device: Device;
  let folder: string;
  beforeAll(async () => {
    device = await openDevice({ device: kind, threads: 1 });
    folder = newFolder();
    const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(7) });
    await model.save(folder);
    await model.release();
  });
  afterAll(() => device.close());

  test.each([
    ['all weights', {}],
    ['LoRA', { lora: { r: 4, alpha: 8, dropout: 0, targetModules: null, seed: 1 } }],
    ['a loss in chunks', { gradientCheckpointing: true }],
  ])("the scored log-probability is the sampler's: %s", async (_, options) => {
    const model = await LanguageModel.load({ device, dir: folder, ...options });
    const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
    const optimizer = await model.createOptimizer(adam);
    await model.accumulateGradients([freeText]);
    await optimizer.step({ lr: 0.05, maxGradNorm: 1 }); // adapters begin without effect
    const answers = await sampled(model, 12); // 360 tokens: more than one chunk
    const examples = answers.map(({ example }) => example);
    const scored = await model.logprobs(examples);
    const plain = await model.logprobs(examples.map(({ tokenMasks: _masks, ...example }) => example));
    let largest = 0;
    answers.forEach(({ logprobs }, e) =>
      logprobs.forEach((logprob, t) => (largest = Math.max(largest, Math.abs(scored[e][t] - logprob)))),
    );
    expect(largest).toBeLessThan(1e-5);
    expect(Math.abs(plain[0][2] - scored[0][2])).toBeGreaterThan(0.1);
    // The training graph computes its loss from the same log-probabilities.
    const total = answers.flatMap(({ logprobs }) => logprobs).reduce((sum, logprob) => sum + logprob, 0);
    const { loss } = await model.accumulateGradients(examples, { maxTokens: Infinity });
    expect(loss / -total).toBeCloseTo(1, 5);
    await model.release();
  });

  when(kind === 'cpu', 'too slow on a GPU in software').test(
    'every gradient agrees with central differences of the float64 loops',
    async () => {
      const tiny = tinyConfig({ n_embd: 6, n_positions: 8, vocab_size: 41, n_head: 2 });
      const tensors = tinyParameters(tiny, 5);
      const rng = new Rng(8);
      const examples: TokenExample[] = randomExamples(3, 6, 41, new Rng(6)).map((example) => ({
        ...example,
        tokenMasks: Array.from(example.targets, (target, t) => (t % 3 === 1 ? null : randomMask(target, 41, rng))),
      }));
      const architecture = gpt2(tiny);
      const parameters = await device.createState(tinyParameters(tiny, 5));
      const shapes = Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape]));
      const gradients = await device.createZeros(shapes);
      const scorer = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 });
      const { loss } = await scorer.accumulateGradients(examples, gradients);
      const leftOut = (mask: TokenMask | null | undefined) =>
        Array.from({ length: 41 }, (_, id) => id).filter((id) => mask && ((mask[id >>> 5] >>> (id & 31)) & 1) === 0);
      const loopLoss = (own: HostTensors) =>
        examples.reduce((sum, { ids, targets, weights, tokenMasks }) => {
          const logits = gpt2LoopLogits(tiny, own, ids);
          const terms = Array.from(weights, (weight, t) =>
            weight === 0 ? 0 : weight * logprobOf(logits[t], targets[t], leftOut(tokenMasks![t])),
          );
          return sum - terms.reduce((a, b) => a + b, 0);
        }, 0);
      expect(loss).toBeCloseTo(loopLoss(tensors), 4);
      await expectCentralDifferences(device, [gradients], inFloat64(tensors), loopLoss, 2e-4);
      await scorer.release();
    },
  );

  test('a token that its mask leaves out is refused', async () => {
    const model = await LanguageModel.load({ device, dir: folder });
    const tokenMasks = [, tokenMaskOf([30]), tokenMaskOf([13, 44])];
    await expect(model.logprobs([{ ...freeText, tokenMasks }])).rejects.toThrow(
      'example 0 scores the token id 12 at position 2, which is not among the allowed ones there',
    );
    await model.release();
  });
});

test('with 150,000 tokens, no tensor as wide as the vocabulary has a row for every scored token', () => {
  const architecture = architectureFor({ ...config, vocab_size: 150_000 });
  const options = { maskedTokenIds: [0], dropout: false, masked: true, entropy: true };
  const isWide = ({ shape }: Value) =>
    shape.includes('scored') && shape.some((dim) => typeof dim === 'number' && dim >= 150_000 / 8);
  const wide = (lossChunks: number) =>
    trainingGraph(architecture, { ...options, lossChunks }).nodes.flatMap(({ outputs }) => outputs.filter(isWide));
  expect(wide(1)).not.toEqual([]);
  expect(wide(8)).toEqual([]);
  const wideInScoring = (headChunks: number) =>
    scoringGraph(architecture, { ...options, headChunks }).nodes.flatMap(({ outputs }) => outputs.filter(isWide));
  expect(wideInScoring(1)).not.toEqual([]);
  expect(wideInScoring(2)).toEqual([]);
});
