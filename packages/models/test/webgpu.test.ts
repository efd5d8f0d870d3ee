import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable, type GpuBuffers } from '@bowyer/graph';
import { when } from '@bowyer/testing';
import { randomExamples } from './reference/tiny-gpt2.js';
import { LanguageModel } from '../src/language-model/language-model.js';
import { wordLevelTokenizer } from '@bowyer/text';

const available = await webgpuAvailable();
const maybe = when(available, 'no WebGPU adapter').test;

const tokenizer = wordLevelTokenizer(['is it a dog ?'], { minCount: 1 });

/** Computes scores, gradients and greedy utterances of one seeded tiny model. On WebGPU, exact buffers round sizes up. */
async function results(kind: 'cpu' | 'webgpu', config: Readonly<Record<string, unknown>>, gpuBuffers?: GpuBuffers) {
  const device = await openDevice({ device: kind, gpuBuffers });
  try {
    const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(1) });
    const optimizer = await model.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
    const masked = new Set(model.maskedTokenIds);
    const examples = randomExamples(5, 13, 11, new Rng(2)).map((example) => ({
      ...example,
      targets: example.targets.map((target) => (masked.has(target) ? 4 : target)),
    }));
    const { loss } = await model.accumulateGradients(examples, { maxTokens: 30 });
    const gradients = await device.read(optimizer.gradients);
    const logprobs = await model.logprobs(examples);
    const episodes = await model.openEpisodes({ slots: 3 });
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 4, terminatorIds: [3] };
    const said: number[][] = [];
    for (let turn = 0; turn < 2; turn++) {
      const turns = [0, 1, 2].map((slot) => ({ slot, tokens: [4 + slot, 5, 6].slice(0, slot + 1), rng: new Rng(3) }));
      for (const { ids } of await episodes.act(turns, sampling)) said.push(ids);
    }
    return { loss, gradients, logprobs, said };
  } finally {
    await device.close();
  }
}

/** These configs cover every part in which the families differ: normalization, rotary positions, grouped queries, windows, gates. */
const configs: Record<string, Readonly<Record<string, unknown>>> = {
  qwen3: {
    model_type: 'qwen3',
    vocab_size: 11,
    hidden_size: 12,
    intermediate_size: 20,
    head_dim: 6,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    max_position_embeddings: 32,
    use_sliding_window: true,
    sliding_window: 3,
    max_window_layers: 1,
    initializer_range: 0.3,
  },
  gpt_neox: {
    model_type: 'gpt_neox',
    vocab_size: 11,
    hidden_size: 16,
    intermediate_size: 20,
    rotary_pct: 0.5,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    max_position_embeddings: 32,
    initializer_range: 0.3,
  },
};

maybe.each([
  ['qwen3', 'bucket'],
  ['gpt_neox', 'exact'],
] as const)(
  '%s: on WebGPU the same model has the same loss, gradients, scores and greedy tokens, with %s buffers',
  async (name, gpuBuffers) => {
    const [cpu, gpu] = [await results('cpu', configs[name]), await results('webgpu', configs[name], gpuBuffers)];
    expect(gpu.loss).toBeCloseTo(cpu.loss, 3);
    for (const [parameter, { data }] of Object.entries(cpu.gradients))
      data.forEach((x, i) => expect(gpu.gradients[parameter].data[i]).toBeCloseTo(Number(x), 3));
    cpu.logprobs.forEach((row, e) => row.forEach((x, t) => expect(gpu.logprobs[e][t]).toBeCloseTo(x, 3)));
    expect(gpu.said).toEqual(cpu.said);
  },
  180_000,
);
