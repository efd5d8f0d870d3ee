// Tests that the reference policy of a run is its initial policy: before and after updates, and in a run that resumes from a
// checkpoint.
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { loadTokenizer, templateSource, wordLevelTokenizer } from '@bowyer/text';
import { freshPolicy } from './fresh-policy.js';
import { referenceOf } from './reference-policy.js';
import { loadPolicy, savePolicyState } from './policy-setup.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(async () => {
  await device.close();
});

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const ids = Int32Array.from(tokenizer.encode('is it a dog or is it a cat'));
const examples = [{ ids: ids.slice(0, -1), targets: ids.slice(1), weights: new Float32Array(ids.length - 1).fill(1) }];
const lora = { r: 4, alpha: 8, dropout: 0, targetModules: null };

async function update(policy: LanguageModel): Promise<void> {
  await policy.accumulateGradients(examples);
  await policy.optimizer.step({ lr: 0.05, maxGradNorm: 1 });
}

test.each([
  ['the whole model', false, 'base'],
  ['adapters beside a whole model', true, 'base'],
  ['adapters that go on from an adapter', true, 'adapter'],
])('%s: the log-probs of the start, to the bit', async (_, useLora, name) => {
  const config = {
    env: { name: 'coin' },
    seed: 3,
    policy: { quantization: 'none' },
    lora: { ...lora, enabled: useLora },
    sampling: { eosStr: null },
  } as unknown as Parameters<typeof referenceOf>[2];
  const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const start = join(folder, name);
  if (name === 'base') {
    const shape = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 32 };
    await (await LanguageModel.create({ device, tokenizer, config: shape, rng: new Rng(1) })).save(start);
  } else {
    const adapter = await loadPolicy(join(folder, 'base'), config, device, 'train');
    await adapter.createOptimizer(adam);
    await update(adapter);
    await adapter.save(start);
  }

  const policy = await loadPolicy(start, config, device, 'train');
  await policy.createOptimizer(adam);
  const before = await policy.logprobs(examples);
  const reference = await referenceOf(policy, { folder: start, data: null }, config, device)();
  expect(await reference.logprobs(examples)).toEqual(before);
  await update(policy);
  expect(await policy.logprobs(examples)).not.toEqual(before);
  expect(await reference.logprobs(examples)).toEqual(before);
  await reference.release();

  const checkpoint = join(folder, `checkpoint of ${name} ${useLora}`);
  await savePolicyState(policy, checkpoint);
  const resumed = await loadPolicy(checkpoint, config, device, 'train');
  expect(await resumed.logprobs(examples)).not.toEqual(before);
  const again = await referenceOf(resumed, { folder: start, data: null }, config, device)();
  expect(await again.logprobs(examples)).toEqual(before);
  await again.release();
});

test.each(['chatml', 'llama2'])(
  'a policy from scratch keeps the template that it learns dialogues with: %s',
  async (chatTemplate) => {
    const config = {
      env: { name: 'coin' },
      seed: 3,
      policy: { modelType: 'gpt2', nLayer: 1, nHead: 2, nEmbd: 32, nPositions: 32, initializerRange: null },
      sampling: { eosStr: null },
      chat: { template: chatTemplate },
    } as unknown as Parameters<typeof freshPolicy>[1];
    const messages = [
      { role: 'user' as const, content: 'is it a dog' },
      { role: 'assistant' as const, content: 'no' },
    ];
    const data = { kind: 'conversations' as const, conversations: [{ messages }], file: 'data.jsonl' };
    const policy = await freshPolicy(data as unknown as Parameters<typeof freshPolicy>[0], config, device);
    const saved = join(folder, 'fresh');
    await policy.save(saved);
    await policy.release();
    const { config: kept } = await loadTokenizer(saved);
    expect(kept.chat_template).toBe(templateSource(chatTemplate, {}));
  },
);

test('a policy from scratch: the reference is made from the seed again, in fewer bits if asked', async () => {
  const shape = { modelType: 'gpt2', nLayer: 1, nHead: 2, nEmbd: 32, nPositions: 32, initializerRange: null };
  const config = {
    env: { name: 'coin' },
    seed: 3,
    policy: { ...shape, quantization: 'none' },
    lora: { ...lora, enabled: false },
    sampling: { eosStr: null }, // and no node `chat`, as in a run whose policy reads plain text
  } as unknown as Parameters<typeof referenceOf>[2];
  const turns = [{ action: 'is it a dog or is it a cat', reply: ' ?' }];
  const data = { kind: 'episodes' as const, demonstrations: [{ opening: 'is it ', turns }] };
  const policy = await freshPolicy(data, config, device);
  await policy.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
  const words = Int32Array.from(policy.tokenizer.encode('is it a dog or is it a cat'));
  const weights = new Float32Array(words.length - 1).fill(1);
  const spoken = [{ ids: words.slice(0, -1), targets: words.slice(1), weights }];
  const before = await policy.logprobs(spoken);
  await policy.accumulateGradients(spoken);
  await policy.optimizer.step({ lr: 0.5, maxGradNorm: 1 });

  const open = referenceOf(policy, { folder: null, data }, config, device);
  const [whole, small] = [await open(), await open({ quantization: '4bit' })];
  expect(await whole.logprobs(spoken)).toEqual(before);
  const rounded = (await small.logprobs(spoken))[0];
  const apart = (row: Float32Array) => Math.max(...row.map((value, t) => Math.abs(value - before[0][t])));
  expect(apart(rounded)).toBeGreaterThan(0);
  expect(apart(rounded)).toBeLessThan(0.3 * apart((await policy.logprobs(spoken))[0]));
  await whole.release();
  await small.release();
});
