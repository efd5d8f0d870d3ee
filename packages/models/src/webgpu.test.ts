import { Rng } from '@bowyer/core';
import { openDevice, webgpuAvailable } from '@bowyer/graph';
import { randomExamples, tinyConfig } from '../test/reference/tiny-gpt2.js';
import { LanguageModel } from './language-model.js';
import { wordLevelTokenizer } from './word-level-tokenizer.js';

const available = await webgpuAvailable();
if (!available)
  console.warn('skipped: no WebGPU adapter here (a software one: VK_ICD_FILENAMES=…/vk_swiftshader_icd.json)');
const maybe = available ? test : test.skip;

const tokenizer = wordLevelTokenizer(['is it a dog ?'], { minCount: 1 });

/** Scores, gradients and greedy utterances of one seeded tiny model. */
async function results(kind: 'cpu' | 'webgpu') {
  const device = await openDevice({ device: kind });
  try {
    const model = await LanguageModel.create({ device, config: { ...tinyConfig() }, tokenizer, rng: new Rng(1) });
    const optimizer = await model.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
    const masked = new Set(model.maskedTokenIds);
    const examples = randomExamples(5, 12, 11, new Rng(2)).map((example) => ({
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
      for (const { ids, terminatorId } of await episodes.act(turns, sampling)) said.push([...ids, terminatorId ?? -1]);
    }
    return { loss, gradients, logprobs, said };
  } finally {
    await device.close();
  }
}

maybe(
  'on WebGPU the same model has the same loss, gradients, scores and greedy tokens',
  async () => {
    const [cpu, gpu] = [await results('cpu'), await results('webgpu')];
    expect(gpu.loss).toBeCloseTo(cpu.loss, 3);
    for (const [name, { data }] of Object.entries(cpu.gradients))
      data.forEach((x, i) => expect(gpu.gradients[name].data[i]).toBeCloseTo(Number(x), 3));
    cpu.logprobs.forEach((row, e) => row.forEach((x, t) => expect(gpu.logprobs[e][t]).toBeCloseTo(x, 3)));
    expect(gpu.said).toEqual(cpu.said);
  },
  120_000,
);
