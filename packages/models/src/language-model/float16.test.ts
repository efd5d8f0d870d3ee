// Compares training and decoding in float16 on a GPU with float32 on the CPU. The GPU may be Mesa's lavapipe, a software GPU with
// float16.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { gpuCrossings, openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { newFolder, when } from '@bowyer/testing';
import { randomExamples } from '../../test/reference/tiny-gpt2.js';
import { architectureFor } from './architectures.js';
import { DecodePrograms } from '../decoding/decode-programs.js';
import { LanguageModel } from './language-model.js';
import type { LoadOptions } from './model-options.js';
import { residentDecodeGraph } from '../decoding/resident-decode-graph.js';
import type { HostTensors } from '@bowyer/checkpoints';
import type { TokenExample } from '../batching/token-batches.js';
import { gradientName, trainingGraph } from '../training/training-graph.js';
import { wordLevelTokenizer } from '@bowyer/text';

const available = await webgpuAvailable('float16');
const maybe = when(available, 'no GPU with float16 in shaders').test;

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const configs: Record<string, Readonly<Record<string, unknown>>> = {
  gpt2: { model_type: 'gpt2', n_layer: 1, n_embd: 32, n_head: 2, n_positions: 64, initializer_range: 0.2 },
  llama: {
    model_type: 'llama',
    hidden_size: 32,
    intermediate_size: 48,
    num_hidden_layers: 1,
    rms_norm_eps: 1e-5,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 64,
    initializer_range: 0.2,
  },
};
/** Random examples, with weights that make the loss a mean over the batch's tokens. */
const examples: readonly TokenExample[] = randomExamples(4, 12, tokenizer.vocabSize, new Rng(2)).map((example) => ({
  ...example,
  targets: example.targets.map((target) => (target === 0 ? 4 : target)), // padding is never sampled
  weights: example.weights.map((weight) => weight / 40),
}));
/** AdamW with a large ε, so that parameters whose gradient is 0 except for rounding (the biases of keys) hardly move. */
const adamw = { kind: 'adamw', betas: [0.9, 0.999], eps: 1e-3, weightDecay: 0.01 } as const;

const folder = newFolder();
const devices = {} as Record<'float32' | 'float16', Device>;
beforeAll(async () => {
  if (!available) return;
  devices.float32 = await openDevice({ device: 'cpu' });
  devices.float16 = await openDevice({ device: 'webgpu', precision: 'float16' });
  for (const [name, config] of Object.entries(configs)) {
    const model = await LanguageModel.create({ device: devices.float32, config, tokenizer, rng: new Rng(1) });
    await model.save(join(folder, name));
    await model.release();
  }
});
afterAll(async () => {
  for (const device of Object.values(devices)) await device.close();
});

type Setting = Omit<LoadOptions, 'device' | 'dir'>;

async function trained(precision: 'float32' | 'float16', name: string, steps: number, setting: Setting = {}) {
  const model = await LanguageModel.load({ device: devices[precision], dir: join(folder, name), ...setting });
  await model.createOptimizer(adamw);
  const losses: number[] = [];
  for (let i = 0; i < steps; i++) losses.push(await step(model));
  return { model, losses };
}

async function step(model: LanguageModel, batch = examples): Promise<number> {
  const { loss } = await model.accumulateGradients(batch);
  await model.optimizer.step({ lr: 0.01, maxGradNorm: 1 });
  return loss;
}

/** Samples the utterances of two turns greedily; the second turn continues the context of the first. */
async function say(model: LanguageModel): Promise<number[]> {
  const episodes = await model.openEpisodes({ slots: 2 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 8, terminatorIds: [] };
  const said: number[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const turns = [0, 1].map((slot) => ({ slot, tokens: [5 + slot, 3, 6].slice(0, slot + 2), rng: new Rng(3) }));
    for (const { ids } of await episodes.act(turns, sampling)) said.push(...ids);
  }
  await episodes.close();
  return said;
}

function expectClose(found: HostTensors, wanted: HostTensors, tolerance: number): void {
  for (const [name, { data }] of Object.entries(wanted)) {
    const difference = data.reduce((sum, x, i) => sum + Math.abs(x - found[name].data[i]), 0) / data.length;
    expect({ name, isClose: difference < tolerance }).toEqual({ name, isClose: true });
  }
}

maybe(
  'losses, weights, scores and greedy tokens are those of float32 to three digits',
  async () => {
    const [wanted, found] = [await trained('float32', 'llama', 5), await trained('float16', 'llama', 5)];
    expect(wanted.losses[4]).toBeLessThan(0.9 * wanted.losses[0]);
    found.losses.forEach((loss, i) => expect(Math.abs(loss - wanted.losses[i])).toBeLessThan(1e-2));
    expect(found.model.optimizer.lossScale).toBe(2 ** 16); // no step was left out
    expectClose(await found.model.copyParameters(), await wanted.model.copyParameters(), 1e-3);
    const [scores, others] = [await wanted.model.logprobs(examples), await found.model.logprobs(examples)];
    scores.forEach((row, e) => row.forEach((x, t) => expect(Math.abs(others[e][t] - x)).toBeLessThan(5e-2)));
    const [said, alsoSaid] = [await say(wanted.model), await say(found.model)];
    expect(alsoSaid.filter((id, i) => id === said[i]).length).toBeGreaterThanOrEqual(0.75 * said.length);
    for (const { model } of [wanted, found]) await model.release();
  },
  180_000,
);

maybe('keys, values and the weights that decoding reads take two bytes a number, master weights four', async () => {
  const { model } = await trained('float16', 'gpt2', 0);
  const { architecture, parameters, maskedTokenIds } = model;
  const programs = new DecodePrograms({ device: devices.float16, architecture, parameters, maskedTokenIds });
  const { state } = await programs.openCache(2, 32);
  for (const name of state.names) expect(state.info(name).dtype).toBe('float16');
  for (const name of parameters.names) expect(parameters.info(name).dtype).toBe('float32');
  await model.release();
});

maybe(
  'a gradient that overflows leaves the step out and halves the scale; a run that goes on from its file has that scale',
  async () => {
    const { model } = await trained('float16', 'gpt2', 1);
    const before = await model.copyParameters();
    const huge = examples.map((example) => ({ ...example, weights: example.weights.map((weight) => 1e5 * weight) }));
    await step(model, huge);
    expect(model.optimizer.lossScale).toBe(2 ** 15);
    expect(model.optimizer.steps).toBe(1);
    expectClose(await model.copyParameters(), before, 1e-12);

    const path = join(folder, 'optimizer.safetensors');
    await model.optimizer.save(path);
    const loss = await step(model);
    const resumed = await trained('float16', 'gpt2', 0);
    await resumed.model.restoreParameters(before);
    await resumed.model.optimizer.restore(path);
    expect(resumed.model.optimizer.lossScale).toBe(2 ** 15);
    expect(await step(resumed.model)).toBeCloseTo(loss, 5);
    expectClose(await resumed.model.copyParameters(), await model.copyParameters(), 1e-5);
    for (const one of [model, resumed.model]) await one.release();
  },
  180_000,
);

const lora = { r: 4, alpha: 8, dropout: 0, targetModules: 'all-linear', seed: 5 } as const;
const frozen: Record<string, Setting> = {
  'a float16 base': { lora },
  'a 4-bit base': { lora, quantization: '4bit' },
};

maybe.each(Object.keys(frozen))(
  'LoRA beside %s trains as in float32',
  async (base) => {
    const [wanted, found] = [
      await trained('float32', 'gpt2', 3, frozen[base]),
      await trained('float16', 'gpt2', 3, frozen[base]),
    ];
    found.losses.forEach((loss, i) => expect(Math.abs(loss - wanted.losses[i])).toBeLessThan(1e-2));
    expect(wanted.losses[2]).toBeLessThan(wanted.losses[0]);
    expectClose(await found.model.copyParameters(), await wanted.model.copyParameters(), 1e-3);
    expect((await say(found.model)).length).toBe(32);
    for (const { model } of [wanted, found]) await model.release();
  },
  180_000,
);

maybe(
  'with gradient checkpointing and dropout it trains as in float32, with the same masks',
  async () => {
    const setting = () => ({ gradientCheckpointing: true, dropoutRng: new Rng(7) });
    const [plain, wanted, found] = [
      await trained('float32', 'gpt2', 1),
      await trained('float32', 'gpt2', 4, setting()),
      await trained('float16', 'gpt2', 4, setting()),
    ];
    expect(Math.abs(wanted.losses[0] - plain.losses[0])).toBeGreaterThan(2e-2); // dropout is on: GPT-2's default of 0.1
    found.losses.forEach((loss, i) => expect(Math.abs(loss - wanted.losses[i])).toBeLessThan(1e-2));
    for (const { model } of [plain, wanted, found]) await model.release();
  },
  180_000,
);

maybe.each(Object.keys(configs))('%s: nothing crosses within a step', async (name) => {
  const architecture = architectureFor({ vocab_size: tokenizer.vocabSize, ...configs[name] });
  const shared = { maskedTokenIds: [0], weightType: 'float16' } as const;
  const train = trainingGraph(architecture, { ...shared, dropout: false, scalesLoss: true });
  const stored = architecture.parameters.map((parameter) => gradientName(parameter.name));
  const decode = residentDecodeGraph(architecture, {
    ...shared,
    tokens: 1,
    operandOrder: 'rows-left',
    sampler: { kind: 'greedy' },
    storedType: 'float16',
  });
  const none = { up: [], down: [] };
  expect(await gpuCrossings(train, stored, 'float16')).toEqual(none);
  expect(await gpuCrossings(decode, [], 'float16')).toEqual(none);
});
