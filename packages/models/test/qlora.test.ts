// Compares QLoRA with LoRA: adapters trained on 8- and 4-bit bases end at most 5 % above the loss with the float32 base after the same
// steps on the same data. The bases are trained models: one made here, and real checkpoints if they are present.
import { join } from 'node:path';
import { minibatches, Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { recordings, newFolder, whenRecorded } from '@bowyer/testing';
import { LanguageModel } from '../src/language-model/language-model.js';
import type { Quantization } from '../src/quantization/weight-layouts.js';
import type { TokenExample } from '../src/batching/token-batches.js';
import { type Tokenizer, wordLevelTokenizer } from '@bowyer/text';
import { continuationExample } from './reference/continuation-example.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

const adamW = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const lora = { r: 8, alpha: 16, dropout: 0, targetModules: 'all-linear', seed: 5 } as const;

const animals = ['dog', 'cat', 'bird', 'frog', 'bear'];
const places = ['park', 'house', 'forest', 'garden'];
const colours = ['red', 'big', 'little', 'old', 'new'];
const things = ['ball', 'book', 'cake', 'box', 'hat'];

/** Makes a sentence of a small world in which each animal has its usual place and thing, three times out of four. */
function story(rng: Rng): string {
  const own = (list: readonly string[], i: number) =>
    list[rng.uniform() < 0.75 ? i % list.length : rng.integer(0, list.length - 1)];
  const i = rng.integer(0, animals.length - 1);
  const [place, thing, colour] = [own(places, i), own(things, i), own(colours, rng.integer(0, 4))];
  return `the ${animals[i]} went to the ${place} and found a ${colour} ${thing} .`;
}

/** Makes a text for the adapters to learn: another form, and other habits of the same animals. */
function question(rng: Rng): string {
  const own = (list: readonly string[], i: number) =>
    list[rng.uniform() < 0.75 ? i % list.length : rng.integer(0, list.length - 1)];
  const i = rng.integer(0, animals.length - 1);
  const [place, thing] = [own(places, i + 1), own(things, i + 2)];
  return `is the ${thing} in the ${place} ? yes , the ${animals[i]} found the ${thing} .`;
}

const many = (count: number, make: (rng: Rng) => string, seed: number) => {
  const rng = new Rng(seed);
  return Array.from({ length: count }, () => make(rng));
};

/** Makes examples in which every token but the first is scored, each with the same weight. Texts of letters are cut short, to save time. */
function examplesOf(texts: readonly string[], tokenizer: Tokenizer): TokenExample[] {
  return texts
    .map((text) => tokenizer.encode(text).slice(0, 48))
    .map((ids) => continuationExample(ids.slice(0, 1), ids.slice(1)));
}

/** Computes the mean loss of a token, in nats. */
async function meanLoss(model: LanguageModel, examples: readonly TokenExample[]): Promise<number> {
  const logprobs = await model.logprobs(examples);
  const count = examples.reduce((sum, { weights }) => sum + weights.reduce((a, b) => a + b, 0), 0);
  return -logprobs.reduce((sum, row) => sum + row.reduce((a, b) => a + b, 0), 0) / count;
}

async function train(
  model: LanguageModel,
  examples: readonly TokenExample[],
  steps: number,
  lr: number,
): Promise<void> {
  const optimizer = await model.createOptimizer(adamW);
  const rng = new Rng(11);
  for (let step = 0; step < steps;) {
    for (const batch of minibatches(examples, 8, rng)) {
      if (step++ >= steps) break;
      const tokens = batch.reduce((sum, { ids }) => sum + ids.length, 0);
      await model.accumulateGradients(batch.map((e) => ({ ...e, weights: e.weights.map((w) => w / tokens) })));
      await optimizer.step({ lr: lr * (1 - step / (steps + 1)), maxGradNorm: 1 }); // so that the last batch matters little
    }
  }
}

/** Trains with the same steps on each kind of base. Returns the losses on sentences that were not trained on. */
async function compare(name: string, dir: string, { steps, lr }: { steps: number; lr: number }) {
  const losses: Partial<Record<Quantization, number>> = {};
  let before = 0;
  for (const quantization of ['none', '8bit', '4bit'] as const) {
    const model = await LanguageModel.load({ device, dir, lora, quantization });
    const heldOut = examplesOf(many(32, question, 3), model.tokenizer);
    if (quantization === 'none') before = await meanLoss(model, heldOut);
    await train(model, examplesOf(many(256, question, 2), model.tokenizer), steps, lr);
    losses[quantization] = await meanLoss(model, heldOut);
    await model.release();
  }
  const { none, '8bit': eight, '4bit': four } = losses as Record<Quantization, number>;
  const percent = (loss: number) => `${loss.toFixed(4)} (${(100 * (loss / none - 1)).toFixed(2)} %)`;
  console.log(
    `${name}: ${before.toFixed(4)} nats a token before, after ${steps} LoRA steps ${none.toFixed(4)} on float32, ${percent(eight)} on 8 bits, ${percent(four)} on 4 bits`,
  );
  return { before, none, eight, four };
}

test('on a model that was trained here', async () => {
  const texts = [...many(200, story, 1), ...many(50, question, 2)];
  const tokenizer = wordLevelTokenizer(texts, { minCount: 1 });
  const config = {
    model_type: 'llama',
    hidden_size: 64,
    intermediate_size: 160,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 64,
  };
  const dir = join(folder, 'made-here');
  const base = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(7) });
  await train(base, examplesOf(many(512, story, 1), tokenizer), 300, 3e-3);
  await base.save(dir);
  await base.release();
  const { before, none, eight, four } = await compare('a model made here', dir, { steps: 160, lr: 3e-3 });
  expect(none).toBeLessThan(before / 3);
  expect(eight / none - 1).toBeLessThan(0.05);
  expect(four / none - 1).toBeLessThan(0.05);
});

describe.each(['llama-stories260k', 'llama-babyllama-105'])('%s', (name) => {
  const dir = recordings('models', name);
  whenRecorded(`models/${name}`).test('on a real checkpoint', async () => {
    const { before, none, eight, four } = await compare(name, dir, { steps: 24, lr: 2e-3 });
    expect(none).toBeLessThan(before / 2);
    expect(eight / none - 1).toBeLessThan(0.05);
    expect(four / none - 1).toBeLessThan(0.05);
  });
});
