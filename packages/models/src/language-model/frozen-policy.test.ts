// Tests frozen reference policies: they keep the weights that the model had when it was frozen, while training changes the model.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { continuationExample as example } from '../../test/reference/continuation-example.js';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { LanguageModel } from './language-model.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const config = { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 32, n_positions: 48, initializer_range: 0.2 };
const sentence = tokenizer.encode('is it a dog or is it a cat ?');
const examples = [
  example(sentence.slice(0, 1), sentence.slice(1)),
  example(sentence.slice(0, 2), sentence.slice(2, 5)),
];
const lora = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear' as const, seed: 1 };
const create = () => LanguageModel.create({ device, config, tokenizer, rng: new Rng(7) });

async function train(model: LanguageModel, steps: number): Promise<void> {
  const optimizer = await model.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  for (let step = 0; step < steps; step++) {
    await model.accumulateGradients(examples);
    await optimizer.step({ lr: 0.02, maxGradNorm: 1 });
  }
}

test('a copy of all weights scores as the start did, to the bit, before and after updates', async () => {
  const model = await create();
  const start = await model.logprobs(examples);
  const reference = await model.freeze();
  expect(await reference.logprobs(examples)).toEqual(start);
  await train(model, 3);
  expect(await model.logprobs(examples)).not.toEqual(start);
  expect(await reference.logprobs(examples)).toEqual(start);
  await reference.release();
  await model.release();
});

test('a copy in 8 bits is near the start, and not the start', async () => {
  const model = await create();
  const [start] = await model.logprobs(examples);
  const reference = await model.freeze({ quantization: '8bit' });
  const [found] = await reference.logprobs(examples);
  expect(found).not.toEqual(start);
  found.forEach((logprob, t) => expect(Math.abs(logprob - start[t])).toBeLessThan(0.05));
  await reference.release();
  await model.release();
});

test.each(['none', '4bit'] as const)('adapters beside a base (%s): off, and as they were in a folder', async (bits) => {
  const base = join(folder, 'base');
  const whole = await create();
  await whole.save(base);
  await whole.release();
  const model = await LanguageModel.load({ device, dir: base, lora, quantization: bits });
  const start = await model.logprobs(examples);
  const off = await model.freezeWithAdapters(null);
  await train(model, 3);
  await model.save(join(folder, 'adapter'));
  const middle = await model.logprobs(examples);
  const copied = await model.freeze();
  await train(model, 3);
  expect(await off.logprobs(examples)).toEqual(start);
  expect(await copied.logprobs(examples)).toEqual(middle);
  const stored = await model.freezeWithAdapters(join(folder, 'adapter'));
  expect(await stored.logprobs(examples)).toEqual(middle);
  for (const reference of [off, copied, stored]) await reference.release();
  expect(await model.logprobs(examples)).not.toEqual(middle); // the policy still scores with its own weights
  await expect(model.freeze({ quantization: '8bit' })).rejects.toThrow(
    'with adapters the base is shared, so it cannot be quantised apart',
  );
  await model.release();
});
