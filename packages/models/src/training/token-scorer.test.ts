import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { describeOnDevices, when } from '@bowyer/testing';
import { expectCentralDifferences, inFloat64 } from '../../test/reference/central-differences.js';
import { gpt2LoopLogits, logprobOf } from '../../test/reference/gpt2-loops.js';
import { randomExamples, tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import type { Gpt2Config } from '../decoder/gpt2-config.js';
import type { HostTensors } from '@bowyer/checkpoints';
import type { TokenExample } from '../batching/token-batches.js';
import { TokenScorer } from './token-scorer.js';

describeOnDevices(await webgpuAvailable(), (kind) => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ device: kind, threads: 1 });
  });
  afterAll(() => device.close());

  const copy = (tensors: HostTensors): HostTensors =>
    Object.fromEntries(Object.entries(tensors).map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));

  async function scorer(
    config: Gpt2Config,
    tensors: HostTensors,
    options: { maskedTokenIds?: number[]; dropoutRng?: Rng } = {},
  ) {
    const architecture = gpt2(config);
    const parameters = await device.createState(copy(tensors));
    return {
      parameters,
      scorer: new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0, ...options }),
      gradients: await device.createZeros(
        Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape])),
      ),
    };
  }

  /** Computes Σ weights · (−log p) with the float64 loops. */
  const loopLoss = (config: Gpt2Config, tensors: HostTensors, examples: TokenExample[]) =>
    examples.reduce((sum, { ids, targets, weights }) => {
      const logits = gpt2LoopLogits(config, tensors, ids);
      return (
        sum -
        weights.reduce((part, weight, t) => part + (weight === 0 ? 0 : weight * logprobOf(logits[t], targets[t])), 0)
      );
    }, 0);

  test.each([true, false])(
    'log-probabilities of a ragged batch are those of plain loops (tied embeddings: %s)',
    async (tied) => {
      const config = tinyConfig({ tie_word_embeddings: tied });
      const tensors = tinyParameters(config, 1);
      const examples = randomExamples(7, 16, 11, new Rng(2));
      const { scorer: fast } = await scorer(config, tensors);
      const logprobs = await fast.logprobs(examples, { maxTokens: 40 });
      examples.forEach(({ ids, targets, weights }, e) => {
        const logits = gpt2LoopLogits(config, tensors, ids);
        weights.forEach((weight, t) =>
          expect(logprobs[e][t]).toBeCloseTo(weight === 0 ? 0 : logprobOf(logits[t], targets[t]), 4),
        );
      });
    },
  );

  test('every gradient agrees with central differences of the float64 loops', async () => {
    const config = tinyConfig({ n_embd: 6, n_positions: 8, vocab_size: 7, tie_word_embeddings: true });
    const tensors = tinyParameters(config, 5);
    const examples = randomExamples(3, 6, 7, new Rng(6));
    const { scorer: fast, gradients } = await scorer(config, tensors);
    const { loss } = await fast.accumulateGradients(examples, gradients, {});
    expect(loss).toBeCloseTo(loopLoss(config, tensors, examples), 4);

    const lossAt = (weights: HostTensors) => loopLoss(config, weights, examples);
    await expectCentralDifferences(device, [gradients], inFloat64(tensors), lossAt);
  });

  test('gradients add up: twice the batch is twice the gradient, and micro-batches sum to the whole', async () => {
    const config = tinyConfig();
    const tensors = tinyParameters(config, 8);
    const examples = randomExamples(6, 12, 11, new Rng(9));
    const [whole, split] = [await scorer(config, tensors), await scorer(config, tensors)];
    const once = await whole.scorer.accumulateGradients(examples, whole.gradients, {});
    await whole.scorer.accumulateGradients(examples, whole.gradients, {});
    const parts = await split.scorer.accumulateGradients(examples, split.gradients, { maxTokens: 13 });
    expect(parts.loss).toBeCloseTo(once.loss, 3);
    const [twice, single] = [await device.read(whole.gradients), await device.read(split.gradients)];
    for (const [name, { data }] of Object.entries(single))
      data.forEach((x, i) => expect(twice[name].data[i]).toBeCloseTo(2 * Number(x), 3));
  });

  when(kind === 'cpu', 'too slow on a GPU in software').test(
    'more scored tokens than go through the head at once: as in batches of a few',
    async () => {
      const config = tinyConfig();
      const examples = randomExamples(500, 16, 11, new Rng(12));
      const scored = examples.reduce((sum, { weights }) => sum + weights.filter((weight) => weight !== 0).length, 0);
      expect(scored).toBeGreaterThan(2048);
      const [whole, split] = [
        await scorer(config, tinyParameters(config, 13)),
        await scorer(config, tinyParameters(config, 13)),
      ];
      const [found, few] = [
        await whole.scorer.logprobs(examples),
        await split.scorer.logprobs(examples, { maxTokens: 200 }),
      ];
      found.forEach((row, e) => row.forEach((logprob, t) => expect(logprob).toBeCloseTo(few[e][t], 5)));
      const losses = [
        await whole.scorer.accumulateGradients(examples, whole.gradients, { maxTokens: Infinity }),
        await split.scorer.accumulateGradients(examples, split.gradients, { maxTokens: 200 }),
      ];
      expect(losses[0].loss / losses[1].loss).toBeCloseTo(1, 5);
      const [a, b] = [await device.read(whole.gradients), await device.read(split.gradients)];
      for (const [name, { data }] of Object.entries(a)) {
        const largest = Array.from(data as Float32Array).reduce((most, x) => Math.max(most, Math.abs(x)), 1e-3);
        data.forEach((x, i) =>
          expect(Math.abs((x as number) - (b[name].data[i] as number)) / largest).toBeLessThan(1e-4),
        );
      }
    },
  );

  test('a masked token has no probability: the others share it, and scoring it is refused', async () => {
    const config = tinyConfig();
    const tensors = tinyParameters(config, 10);
    const { scorer: model } = await scorer(config, tensors, { maskedTokenIds: [2, 5] });
    const example = { ids: Int32Array.of(1, 4), targets: Int32Array.of(2, 3), weights: Float32Array.of(0, 1) };
    const [logprobs] = await model.logprobs([example], {});
    expect(logprobs[1]).toBeCloseTo(logprobOf(gpt2LoopLogits(config, tensors, [1, 4])[1], 3, [2, 5]), 4);
    await expect(model.logprobs([{ ...example, weights: Float32Array.of(1, 1) }], {})).rejects.toThrow(
      'example 0 scores the token id 2 at position 0, which the policy cannot generate (masked, or outside the vocabulary)',
    );
  });

  test('an example longer than the context is refused with both lengths', async () => {
    const config = tinyConfig();
    const { scorer: model } = await scorer(config, tinyParameters(config, 11));
    const long = { ids: new Int32Array(17), targets: new Int32Array(17), weights: new Float32Array(17).fill(1) };
    await expect(model.logprobs([long], {})).rejects.toThrow(
      "example 0 has 17 tokens; the model's context length is 16; keep the last ones",
    );
  });

  test('dropout: off by default, follows its seed, and differs from step to step', async () => {
    const config = tinyConfig({ resid_pdrop: 0.3, attn_pdrop: 0.3, embd_pdrop: 0.3 });
    const tensors = tinyParameters(config, 12);
    const examples = randomExamples(4, 12, 11, new Rng(13));
    const losses = async (dropoutRng?: Rng) => {
      const model = await scorer(config, tensors, { dropoutRng });
      return [
        await model.scorer.accumulateGradients(examples, model.gradients, {}),
        await model.scorer.accumulateGradients(examples, model.gradients, {}),
      ].map(({ loss }) => loss);
    };
    const [plain, again] = await losses();
    expect(plain).toBe(again);
    expect(plain).toBeCloseTo(loopLoss(config, tensors, examples), 3);
    const seeded = await losses(new Rng(14));
    expect(seeded).toEqual(await losses(new Rng(14)));
    expect(seeded[0]).not.toBe(seeded[1]);
    expect(Math.abs(seeded[0] - plain)).toBeGreaterThan(1e-3);
  });
});
