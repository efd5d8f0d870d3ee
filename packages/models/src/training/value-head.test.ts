// Tests the value head: V and the gradients of losses with V, against float64 loops and with every kind of model.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clippedValueLoss, Rng, type ScoredTokens, type TokenLoss } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import type { HostTensors } from '@bowyer/checkpoints';
import { expectCentralDifferences, inFloat64 } from '../../test/reference/central-differences.js';
import { gpt2LoopLogits, gpt2LoopValues, logprobOf } from '../../test/reference/gpt2-loops.js';
import { randomExamples, tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import type { TokenExample } from '../batching/token-batches.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import { LanguageModel } from '../language-model/language-model.js';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { TokenScorer } from './token-scorer.js';
import { valueHeadParameters } from './value-head.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

/** Sets value weights at the first position and, by chance, at others, also where no token is scored. */
const withValues = (examples: TokenExample[], rng: Rng): TokenExample[] =>
  examples.map((example) => ({
    ...example,
    valueWeights: example.weights.map((_, t) => (t === 0 || rng.uniform() < 0.4 ? 1 : 0)),
  }));
const countOf = (examples: readonly TokenExample[], of: 'weights' | 'valueWeights') =>
  examples.reduce((sum, example) => sum + example[of]!.filter((weight) => weight !== 0).length, 0);
const numbers = (length: number, seed: number) => {
  const rng = new Rng(seed);
  return Float32Array.from({ length }, () => rng.normal());
};

/** Makes the loss REINFORCE + PPO's value loss, with a different return for each value. */
function lossFor(examples: readonly TokenExample[]): (tokens: ScoredTokens) => TokenLoss {
  const [tokens, values] = [countOf(examples, 'weights'), countOf(examples, 'valueWeights')];
  const [advantages, returns] = [numbers(tokens, 1), numbers(values, 2)];
  return (scored) => {
    const gradient = advantages.map((advantage) => -advantage / tokens);
    const policyLoss = scored.logprobs.reduce((sum, logprob, t) => sum + gradient[t] * logprob, 0);
    const old = { oldValues: returns.map((x) => 0.9 * x), returns, weights: new Float32Array(values).fill(1 / values) };
    const value = clippedValueLoss({ values: scored.values, ...old }, { clipRange: Infinity });
    return { loss: policyLoss + value.loss, gradient, valueGradient: value.gradient };
  };
}

describe('against float64 loops', () => {
  const config = tinyConfig({ n_embd: 6, n_positions: 8, vocab_size: 7, tie_word_embeddings: true });
  const examples = withValues(randomExamples(4, 6, 7, new Rng(6)), new Rng(7));
  const head = Object.fromEntries(
    Object.entries(valueHeadParameters(6)).map(([name, shape], i) => [
      name,
      { shape, data: numbers(shape.length === 2 ? 6 : 1, 8 + i) },
    ]),
  );
  const copy = (tensors: HostTensors) =>
    Object.fromEntries(Object.entries(tensors).map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));

  async function scorer() {
    const architecture = gpt2(config);
    const parameters = await device.createState(copy(tinyParameters(config, 5)));
    const zeros = (shapes: Record<string, readonly number[]>) => device.createZeros(shapes);
    const gradients = await zeros(Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape])));
    const scoring = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 });
    const optimizer = { gradients: await zeros(valueHeadParameters(6)) };
    scoring.valueHead = { parameters: await device.createState(copy(head)), optimizer };
    return { scoring, gradients, headGradients: optimizer.gradients };
  }

  function loopTokens(weights: HostTensors): ScoredTokens {
    const logprobs: number[] = [];
    const values: number[] = [];
    for (const { ids, targets, weights: mask, valueWeights } of examples) {
      const logits = gpt2LoopLogits(config, weights, ids);
      mask.forEach((weight, t) => weight !== 0 && logprobs.push(logprobOf(logits[t], targets[t])));
      gpt2LoopValues(config, weights, ids).forEach((value, t) => valueWeights![t] !== 0 && values.push(value));
    }
    return { logprobs: Float64Array.from(logprobs), values: Float64Array.from(values) } as unknown as ScoredTokens;
  }

  test('V at the positions that ask for it, 0 at the others', async () => {
    const { scoring } = await scorer();
    const rows = await scoring.values(examples, { maxTokens: 7 });
    const found = examples.flatMap(({ valueWeights }, e) => [...rows[e]].filter((_, t) => valueWeights![t] !== 0));
    const expected = loopTokens({ ...tinyParameters(config, 5), ...head }).values;
    found.forEach((value, i) => expect(value).toBeCloseTo(expected[i], 4));
    examples.forEach(({ valueWeights }, e) => valueWeights!.forEach((w, t) => w === 0 && expect(rows[e][t]).toBe(0)));
  });

  test('every gradient, of the trunk and of the head, agrees with central differences', async () => {
    const { scoring, gradients, headGradients } = await scorer();
    const lossOf = lossFor(examples);
    const { loss } = await scoring.accumulateLogprobGradients(examples, lossOf, gradients, { maxTokens: 9 });
    const weights = inFloat64({ ...tinyParameters(config, 5), ...head });
    const lossAt = (own: HostTensors) => lossOf(loopTokens(own)).loss;
    expect(loss).toBeCloseTo(lossAt(weights), 4);
    await expectCentralDifferences(device, [gradients, headGradients], weights, lossAt);
  });
});

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const shape = { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 32, n_positions: 48, initializer_range: 0.2 };
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const vocabulary = tokenizer.vocabSize;
const batch = withValues(
  randomExamples(3, 8, vocabulary - 1, new Rng(3)).map(({ ids, targets, ...rest }) => ({
    ...rest,
    ids,
    targets: targets.map((id) => Math.max(id, 2)),
  })),
  new Rng(4),
);

async function model(options: Partial<Parameters<typeof LanguageModel.load>[0]> = {}): Promise<LanguageModel> {
  const dir = join(folder, 'base');
  await (await LanguageModel.create({ device, config: shape, tokenizer, rng: new Rng(7) })).save(dir);
  const loaded = await LanguageModel.load({ device, dir, ...options });
  await loaded.createOptimizer(adam);
  await loaded.createValueHead(adam);
  return loaded;
}

async function steps(policy: LanguageModel, count: number): Promise<number[]> {
  const losses: number[] = [];
  for (let step = 0; step < count; step++) {
    losses.push((await policy.accumulateLogprobGradients(batch, lossFor(batch))).loss);
    await policy.optimizer.step({ lr: 3e-3, maxGradNorm: 1 });
    await policy.valueHead.optimizer.step({ lr: 3e-2, maxGradNorm: 1 });
  }
  return losses;
}

const lora = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear' as const, seed: 1 };
test.each([
  ['gradient checkpointing', { gradientCheckpointing: true }],
  ['LoRA on 4 bits, gradient checkpointing', { lora, quantization: '4bit', gradientCheckpointing: true }],
  ['LoRA on 8 bits', { lora, quantization: '8bit' }],
] as const)('%s: V starts at 0; the loss falls as its gradient says', async (_, options) => {
  const policy = await model(options);
  for (const row of await policy.values(batch)) expect(row).toEqual(new Float32Array(row.length));
  const losses = await steps(policy, 4);
  // After a short step against the gradient, the loss is lower by the step times the squared norm.
  const before = await policy.copyParameters();
  const { loss } = await policy.accumulateLogprobGradients(batch, lossFor(batch));
  const { gradients } = policy.optimizer;
  const computed = await device.read(gradients);
  const squares = Object.values(computed).reduce(
    (sum, { data }) => sum + Array.from(data as Float32Array).reduce((total, x) => total + x * x, 0),
    0,
  );
  const moved = async (length: number) => {
    const tensors = Object.entries(before).map(([name, { shape: dims, data }]) => [
      name,
      { shape: dims, data: data.map((x, i) => Number(x) + length * (computed[name].data[i] as number)) },
    ]);
    await policy.restoreParameters(Object.fromEntries(tensors) as HostTensors);
    return (await policy.accumulateLogprobGradients(batch, lossFor(batch))).loss;
  };
  const length = 1e-2 / Math.sqrt(squares);
  const slope = ((await moved(length)) - (await moved(-length))) / (2 * length);
  expect(slope / squares).toBeCloseTo(1, 1);
  expect(losses.at(-1)!).toBeLessThan(losses[0]);
  expect(loss).toBeLessThan(losses[0]);
  await policy.release();
});

test('a network for values alone: no token is scored, and only V is trained', async () => {
  const values = await model();
  const alone = batch.map((example) => ({ ...example, weights: new Float32Array(example.ids.length) }));
  const lossOf = lossFor(batch);
  const step = () =>
    values.accumulateLogprobGradients(alone, ({ values: found }) => {
      const zeros = new Float32Array(countOf(batch, 'weights'));
      return { ...lossOf({ logprobs: zeros, entropies: zeros, values: found }), gradient: new Float32Array(0) };
    });
  const { loss } = await step();
  await values.optimizer.step({ lr: 1e-3, maxGradNorm: 1 });
  await values.valueHead.optimizer.step({ lr: 1e-2, maxGradNorm: 1 });
  expect((await step()).loss).toBeLessThan(loss);
  await values.release();
});

test('restored head and optimizer continue to the bit as the saved ones; a saved model has no file of the head', async () => {
  const [first, second] = [await model(), await model()];
  await steps(first, 2);
  const dir = join(folder, 'checkpoint');
  await first.save(dir);
  expect((await readdir(dir)).filter((name) => name.includes('value'))).toEqual([]);
  await first.optimizer.save(join(dir, 'optimizer.safetensors'));
  await first.valueHead.save(dir);
  await second.restoreParameters(await first.copyParameters());
  await second.optimizer.restore(join(dir, 'optimizer.safetensors'));
  await second.valueHead.restore(dir);
  expect(await steps(second, 2)).toEqual(await steps(first, 2));
  expect(await second.values(batch)).toEqual(await first.values(batch));
});

test('values without a head are refused', async () => {
  const plain = await LanguageModel.create({ device, config: shape, tokenizer, rng: new Rng(7) });
  await expect(plain.values(batch)).rejects.toThrow('the model has no value head: call createValueHead');
  await plain.release();
});
