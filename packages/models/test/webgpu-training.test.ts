// Compares training and sampling on a GPU with the CPU: the parts in which families differ, dropout, LoRA, quantised bases
// (tensor-groups.test.ts tests the optimizers), contexts that outgrow the cache and change rows, and a run that is interrupted and
// resumed.
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type Device } from '@bowyer/graph';
import { isExhaustive, newFolder, when } from '@bowyer/testing';
import { randomExamples } from './reference/tiny-gpt2.js';
import { LanguageModel } from '../src/language-model/language-model.js';
import type { OptimizerOptions } from '../src/optimizers/create-optimizer.js';
import type { Quantization } from '../src/quantization/weight-layouts.js';
import { wordLevelTokenizer } from '@bowyer/text';

const available = await webgpuAvailable();
const maybe = when(available, 'no WebGPU adapter').test;

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const examples = randomExamples(4, 12, tokenizer.vocabSize, new Rng(2)).map((example) => ({
  ...example,
  targets: example.targets.map((target) => (target === 0 ? 4 : target)), // padding is never sampled
}));
const sizes = {
  vocab_size: tokenizer.vocabSize,
  intermediate_size: 20,
  num_hidden_layers: 2,
  max_position_embeddings: 64,
  initializer_range: 0.3,
};
/** These configs cover every part in which the families differ: normalization, rotary positions, grouped queries, windows, gates. */
const configs = {
  gpt2: {
    model_type: 'gpt2',
    n_layer: 1,
    n_embd: 32,
    n_head: 2,
    n_positions: 64,
    resid_pdrop: 0.1,
    embd_pdrop: 0.1,
    attn_pdrop: 0.1,
    initializer_range: 0.3,
  },
  qwen3: {
    ...sizes,
    model_type: 'qwen3',
    hidden_size: 12,
    head_dim: 6,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    use_sliding_window: true,
    sliding_window: 3,
    max_window_layers: 1,
  },
  gpt_neox: { ...sizes, model_type: 'gpt_neox', hidden_size: 16, rotary_pct: 0.5, num_attention_heads: 2 },
};
const adam = { betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01 } as const;
const lora = { r: 4, alpha: 8, dropout: 0.2, targetModules: 'all-linear', seed: 5 } as const;

const devices = {} as Record<'cpu' | 'webgpu' | 'exact', Device>;
const folder = newFolder();
beforeAll(async () => {
  if (!available) return;
  for (const device of ['cpu', 'webgpu'] as const) devices[device] = await openDevice({ device });
  devices.exact = await openDevice({ device: 'webgpu', gpuBuffers: 'exact' });
  for (const [name, config] of Object.entries(configs)) {
    const model = await LanguageModel.create({ device: devices.cpu, config, tokenizer, rng: new Rng(1) });
    await model.save(join(folder, name));
    await model.release();
  }
});
afterAll(async () => {
  for (const device of Object.values(devices)) await device.close();
});

interface Setting {
  optimizer: OptimizerOptions;
  base?: keyof typeof configs;
  /** Buffers round sizes up unless they are exact. */
  device?: 'webgpu' | 'exact';
  /** Dropout follows the config, and blocks are computed again in the backward pass. */
  withDropout?: boolean;
  withLora?: boolean;
  quantization?: Quantization;
}

const load = (
  device: Device,
  { withLora, withDropout, base = 'gpt2', ...options }: Omit<Setting, 'optimizer' | 'device'>,
) =>
  LanguageModel.load({
    device,
    dir: join(folder, base),
    ...options,
    ...(withDropout && { dropoutRng: new Rng(6), gradientCheckpointing: true }),
    ...(withLora && { lora }),
  });

async function step(model: LanguageModel): Promise<number> {
  const { loss } = await model.accumulateGradients(examples, { maxTokens: 30 });
  await model.optimizer.step({ lr: 0.01, maxGradNorm: 1 });
  return loss;
}

/** Samples turns of three slots, a different subset each time, beyond 32 tokens, where the cache grows. */
async function say(model: LanguageModel): Promise<number[][]> {
  const episodes = await model.openEpisodes({ slots: 3 });
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 9, terminatorIds: [4] };
  const said: number[][] = [];
  for (const slots of [[0, 1, 2], [2], [1, 2], [2, 0], [0, 1, 2]]) {
    const turns = slots.map((slot) => ({ slot, tokens: [5 + slot, 3, 6].slice(0, slot + 1), rng: new Rng(3) }));
    for (const { ids } of await episodes.act(turns, sampling)) said.push(ids);
  }
  await episodes.close();
  return said;
}

/** Computes the mean difference, in nats, between an utterance's log-probabilities and the scores of the same tokens. */
async function drift(model: LanguageModel): Promise<number> {
  const episodes = await model.openEpisodes({ slots: 1 });
  const prompt = [5, 3, 6];
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 9, terminatorIds: [] };
  const [{ ids, logprobs }] = await episodes.act([{ slot: 0, tokens: prompt, rng: new Rng(3) }], sampling);
  await episodes.close();
  const all = [...prompt, ...ids];
  const weights = Float32Array.from(all.slice(1), (_, t) => Number(t >= prompt.length - 1));
  const [scores] = await model.logprobs([
    { ids: Int32Array.from(all.slice(0, -1)), targets: Int32Array.from(all.slice(1)), weights },
  ]);
  return logprobs.reduce((sum, x, t) => sum + Math.abs(x - scores[prompt.length - 1 + t]), 0) / logprobs.length;
}

async function results(kind: keyof typeof devices, { optimizer, device: _, ...setting }: Setting) {
  const model = await load(devices[kind], setting);
  await model.createOptimizer(optimizer);
  const losses = [await step(model), await step(model)];
  const scores = await model.logprobs(examples);
  const reference = setting.withLora ? await model.logprobs(examples, { adapters: false }) : [];
  const trained = await model.copyParameters();
  const said = await say(model);
  const distance = await drift(model);
  await model.release();
  return { losses, scores: [...scores, ...reference], trained, said, distance };
}

const settings: Record<string, Setting> = {
  ...(isExhaustive() && {
    Muon: { optimizer: { kind: 'muon', ...adam, eps: 1e-3, momentum: 0.95, nesterov: true } as const },
  }),
  'Qwen 3': { optimizer: { kind: 'adamw', ...adam, eps: 1e-4 }, base: 'qwen3' },
  'GPT-NeoX with exact buffers': {
    optimizer: { kind: 'adamw', ...adam, eps: 1e-4 },
    base: 'gpt_neox',
    device: 'exact',
  },
  // The gradient of a key's bias is only rounding, which a smaller eps would enlarge to whole steps.
  'AdamW with dropout and gradient checkpointing': {
    optimizer: { kind: 'adamw', ...adam, eps: 1e-4 },
    withDropout: true,
  },
  'LoRA with dropout of its own': { optimizer: { kind: 'adam', ...adam }, withLora: true },
  'LoRA beside a 4-bit base': { optimizer: { kind: 'adam', ...adam }, withLora: true, quantization: '4bit' },
};

maybe.each(Object.keys(settings))(
  '%s: the same losses, weights and scores as on the CPU, and the same greedy tokens',
  async (name) => {
    const setting = settings[name];
    const [cpu, gpu] = [await results('cpu', setting), await results(setting.device ?? 'webgpu', setting)];
    gpu.losses.forEach((loss, i) => expect(loss).toBeCloseTo(cpu.losses[i], 3));
    for (const [parameter, { data }] of Object.entries(cpu.trained))
      gpu.trained[parameter].data.forEach((x, i) => expect(Math.abs(x - data[i])).toBeLessThan(2e-3));
    cpu.scores.forEach((row, e) => row.forEach((x, t) => expect(Math.abs(gpu.scores[e][t] - x)).toBeLessThan(5e-3)));
    // With a quantised base, decoding rounds the head to 8 bits, and on the CPU activations too.
    const isQuantized = setting.quantization !== undefined;
    expect(gpu.distance).toBeLessThan(isQuantized ? 0.1 : 1e-3);
    if (!isQuantized) expect(gpu.said).toEqual(cpu.said);
  },
  180_000,
);

maybe(
  'a run that is interrupted after a step and resumed from its files ends as an uninterrupted one',
  async () => {
    const optimizer = { kind: 'adamw_8bit', ...adam } as const;
    const whole = await load(devices.webgpu, {});
    await whole.createOptimizer(optimizer);
    await step(whole);
    const path = join(folder, 'optimizer.safetensors');
    await whole.optimizer.save(path);
    const halfway = await whole.copyParameters();
    await step(whole);
    const resumed = await load(devices.webgpu, {});
    await resumed.restoreParameters(halfway);
    await (await resumed.createOptimizer(optimizer)).restore(path);
    expect(resumed.optimizer.steps).toBe(1);
    await step(resumed);
    const [wanted, found] = [await whole.copyParameters(), await resumed.copyParameters()];
    // A GPU adds the gradients of repeated rows in any order, so the last digit may differ.
    for (const [name, { data }] of Object.entries(wanted))
      data.forEach((x, i) => expect(Math.abs(found[name].data[i] - x)).toBeLessThan(1e-5));
  },
  180_000,
);
