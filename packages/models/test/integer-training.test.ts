// Compares LoRA with integer products with the same quantised base in exact float32 products: gradients, losses, and a resumed run.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '../src/language-model/language-model.js';
import type { TokenExample } from '../src/batching/token-batches.js';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { readStateDict } from '../src/weights/state-dict.js';

const adamW = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const lora = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear', seed: 5 } as const;
const config = {
  model_type: 'llama',
  hidden_size: 64,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
};
const LENGTH = 24;
const words = Array.from({ length: 90 }, (_, i) => `w${i}`);

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
await saveBases();
afterAll(() => device.close());

/** Makes texts in which four words out of five follow from the word before. */
function examples(seed: number, count: number): TokenExample[] {
  const rng = new Rng(seed);
  return Array.from({ length: count }, () => {
    const text = [rng.integer(1, 80)];
    while (text.length <= LENGTH) text.push(rng.uniform() < 0.8 ? 1 + ((7 * text.at(-1)!) % 80) : rng.integer(1, 80));
    const weights = new Float32Array(LENGTH).fill(1 / (LENGTH * count));
    weights.fill(0, 0, 5); // the gradient of these rows is zero
    return { ids: Int32Array.from(text.slice(0, -1)), targets: Int32Array.from(text.slice(1)), weights };
  });
}

/**
 * Saves a trained model, and an equivalent one in which two channels of each norm are 30 times as large and the weights after it 30
 * times as small.
 */
async function saveBases(): Promise<void> {
  const tokenizer = wordLevelTokenizer([words.join(' ')], { minCount: 1 });
  const base = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(7) });
  await train(base, 12, 1e-2);
  await base.save(join(folder, 'plain'));
  const tensors = await base.copyParameters();
  for (const [name, { data, shape }] of Object.entries(tensors)) {
    const isBehindNorm = /(q|k|v|gate|up)_proj\.weight$/.test(name);
    if (!isBehindNorm && !/layers.*layernorm\.weight$/.test(name)) continue;
    for (const channel of [3, 40])
      for (let i = channel; i < data.length; i += shape.at(-1)!) data[i] *= isBehindNorm ? 1 / 30 : 30;
  }
  await base.restoreParameters(tensors);
  await base.save(join(folder, 'outliers'));
  await base.release();
}

async function train(model: LanguageModel, steps: number, lr: number): Promise<void> {
  const optimizer = await model.createOptimizer(adamW);
  for (let step = 0; step < steps; step++) {
    await model.accumulateGradients(examples(100 + step, 8));
    await optimizer.step({ lr, maxGradNorm: 1 });
  }
}

async function load(base: string, quantization: '4bit' | '8bit', integerProducts: boolean): Promise<LanguageModel> {
  const model = await LanguageModel.load({
    device,
    dir: join(folder, base),
    quantization,
    lora: { ...lora, integerProducts },
  });
  const rng = new Rng(9);
  const adapters = await model.copyParameters();
  for (const { data } of Object.values(adapters)) data.forEach((x, i) => (data[i] = x + 0.05 * rng.normal()));
  await model.restoreParameters(adapters);
  return model;
}

async function gradientsOf(model: LanguageModel) {
  const { gradients } = await model.createOptimizer(adamW);
  const { loss } = await model.accumulateGradients(examples(1, 12));
  return { loss, gradients: await readStateDict(device, gradients) };
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i] * b[i];
    aa += a[i] ** 2;
    bb += b[i] ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}

/** Computes the mean loss of all scored tokens, in nats. */
async function heldOut(model: LanguageModel): Promise<number> {
  const rows = await model.logprobs(examples(2, 16));
  return -rows.flatMap((row) => [...row]).reduce((a, b) => a + b, 0);
}

// With outliers, rounding activations and weights to 8 bits costs more accuracy.
test.each([
  ['8bit', 'plain', 0.999],
  ['4bit', 'plain', 0.999],
  ['8bit', 'outliers', 0.99],
] as const)(
  '%s, %s: cosine of every gradient above %d, loss after training within a hundredth',
  async (quantization, base, least) => {
    const [exact, integer] = [await load(base, quantization, false), await load(base, quantization, true)];
    const [wanted, got] = [await gradientsOf(exact), await gradientsOf(integer)];
    const lowest = Object.entries(wanted.gradients)
      .map(([name, { data }]) => ({ name, cosine: cosine(data, got.gradients[name].data) }))
      .reduce((a, b) => (a.cosine < b.cosine ? a : b));
    expect(lowest.cosine > least ? 'close' : lowest).toBe('close');
    await integer.accumulateGradients(examples(1, 12));
    const doubled = await readStateDict(device, integer.optimizer.gradients);
    for (const [name, { data }] of Object.entries(got.gradients))
      // the second pass adds the same bits
      expect(doubled[name].data).toEqual((data as Float32Array).map((x) => 2 * x));
    for (const model of [exact, integer]) await train(model, 4, 1e-2);
    expect(Math.abs((await heldOut(integer)) / (await heldOut(exact)) - 1)).toBeLessThan(0.01);
    for (const model of [exact, integer]) await model.release();
  },
);

test('a base in float32 has no integers', async () => {
  const options = { device, dir: join(folder, 'plain'), lora: { ...lora, integerProducts: true } };
  await expect(LanguageModel.load(options)).rejects.toThrow('integerProducts needs a quantised base');
});
