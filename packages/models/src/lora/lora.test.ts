// Tests LoRA on every kind of decoder: which parameters are trained, which stay, and what is written.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { continuationExample as example } from '../../test/reference/continuation-example.js';
import { architectureFor } from '../language-model/architectures.js';
import { LanguageModel } from '../language-model/language-model.js';
import { readSafetensors, writeSafetensors } from '@bowyer/checkpoints';
import { trainingGraph } from '../training/training-graph.js';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { adapterLayout } from './adapter-layout.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
afterAll(() => device.close());

const tokenizer = wordLevelTokenizer(['is it a dog or is it a cat ? yes . no .'], { minCount: 1 });
const sizes = { hidden_size: 32, intermediate_size: 48, num_hidden_layers: 2, num_attention_heads: 4 };
const llama = { model_type: 'llama', num_key_value_heads: 2, max_position_embeddings: 48, ...sizes };
const families: Record<string, Record<string, unknown>> = {
  gpt2: { model_type: 'gpt2', n_layer: 2, n_head: 2, n_embd: 32, n_positions: 48 },
  llama,
  gpt_neox: { model_type: 'gpt_neox', rotary_pct: 0.5, max_position_embeddings: 48, ...sizes },
};
const plain = { r: 4, alpha: 8, dropout: 0, targetModules: null, seed: 1 };
const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
const sentence = tokenizer.encode('is it a dog or is it a cat ?');
const examples = [
  example(sentence.slice(0, 1), sentence.slice(1)),
  example(sentence.slice(0, 2), sentence.slice(2, 5)),
];

/** Writes a directory with fresh weights of a family. */
async function baseDirectory(family: string): Promise<string> {
  const dir = join(folder, family);
  const config = { ...families[family], initializer_range: 0.2 };
  const model = await LanguageModel.create({ device, config, tokenizer, rng: new Rng(7) });
  await model.save(dir);
  await model.release();
  return dir;
}

async function train(model: LanguageModel, steps: number, lr = 0.02): Promise<number[]> {
  const optimizer = await model.createOptimizer(adam);
  const losses: number[] = [];
  for (let step = 0; step < steps; step++) {
    losses.push((await model.accumulateGradients(examples)).loss);
    await optimizer.step({ lr, maxGradNorm: 1 });
  }
  return losses;
}

describe.each(Object.keys(families))('%s', (family) => {
  test('adapters learn, the base stays, and off they are the base: training, scoring, decoding, both exports', async () => {
    const dir = await baseDirectory(family);
    const base = await LanguageModel.load({ device, dir });
    const before = await base.logprobs(examples);
    const model = await LanguageModel.load({ device, dir, lora: { ...plain, targetModules: 'all-linear' } });
    expect(await model.logprobs(examples)).toEqual(before); // B = 0
    const losses = await train(model, 25);
    expect(losses.at(-1)!).toBeLessThan(losses[0] / 2);
    const after = await model.logprobs(examples);
    expect(after).not.toEqual(before);
    expect(await model.logprobs(examples, { adapters: false })).toEqual(before);

    await model.save(join(folder, `${family}-adapter`));
    await model.saveMerged(join(folder, `${family}-merged`));
    const adapter = await LanguageModel.load({ device, dir: join(folder, `${family}-adapter`) });
    expect(await adapter.logprobs(examples)).toEqual(after);
    const merged = await LanguageModel.load({ device, dir: join(folder, `${family}-merged`) });
    const close = await merged.logprobs(examples);
    after.forEach((row, i) => row.forEach((x, t) => expect(Math.abs(close[i][t] - x)).toBeLessThan(1e-4)));

    // The decoder's log-probabilities of sampled tokens equal the scorer's.
    const episodes = await adapter.openEpisodes({ slots: 1 });
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 6, terminatorIds: [] };
    const [said] = await episodes.act([{ slot: 0, tokens: sentence.slice(0, 3), rng: new Rng(3) }], sampling);
    const [scored] = await adapter.logprobs([example(sentence.slice(0, 3), said.ids)]);
    said.logprobs.forEach((x, t) => expect(Math.abs(x - scored[2 + t])).toBeLessThan(1e-4));
    await episodes.close();
    for (const each of [base, model, adapter, merged]) await each.release();
  });
});

test('the training graph contains no gradient of a frozen weight, and nothing below the lowest adapter', () => {
  const architecture = architectureFor({ vocab_size: 20, ...families.gpt2 });
  const of = (targetModules: readonly string[] | undefined) => {
    const adapters = targetModules && adapterLayout(architecture, { ...plain, targetModules });
    const graph = trainingGraph(architecture, { maskedTokenIds: [], dropout: false, adapters });
    const needed = new Set(graph.outputs.values());
    const nodes = [...graph.nodes].reverse().filter((node) => {
      if (!node.outputs.some((output) => needed.has(output))) return false;
      for (const input of node.inputs) if (input) needed.add(input);
      return true;
    });
    return {
      outputs: [...graph.outputs.keys()],
      backward: nodes.filter(({ name }) => name.includes('gradient/')).map(({ op }) => op.opType),
    };
  };
  const top = of(['transformer.h.1.mlp.c_proj']);
  expect(top.outputs).toEqual([
    'loss',
    'gradient.transformer.h.1.mlp.c_proj.lora_A.weight',
    'gradient.transformer.h.1.mlp.c_proj.lora_B.weight',
  ]);
  const products = ({ backward }: { backward: string[] }) => backward.filter((type) => /Gemm|MatMul/.test(type)).length;
  // The four products: back through the head; dB; back through B; dA. The first block gets no gradient.
  expect(products(top)).toBe(4);
  const all = of(['c_attn', 'c_proj', 'c_fc']);
  // Each linear layer needs dx, dA, dB and two products through B and A, but only dx and dW if all is trained. The lowest layer needs
  // no dx.
  expect(products(all)).toBeLessThanOrEqual(products(of(undefined)) + 8 * 3);
  expect(all.outputs).toHaveLength(1 + 2 * 8);
});

test('dropout starts again at each step, so a resumed run has the numbers of one that never stopped', async () => {
  const dir = await baseDirectory('gpt2');
  const lora = { ...plain, dropout: 0.3 };
  const straight = await LanguageModel.load({ device, dir, lora });
  const losses = await train(straight, 4);
  const first = await LanguageModel.load({ device, dir, lora });
  expect(await train(first, 2)).toEqual(losses.slice(0, 2));
  await first.optimizer.save(join(folder, 'optimizer.safetensors'));
  const second = await LanguageModel.load({ device, dir, lora });
  await second.restoreParameters(await first.copyParameters());
  const optimizer = await second.createOptimizer(adam);
  await optimizer.restore(join(folder, 'optimizer.safetensors'));
  expect((await second.accumulateGradients(examples)).loss).toBe(losses[2]);
  const undropped = await LanguageModel.load({ device, dir, lora: plain });
  await undropped.restoreParameters(await first.copyParameters());
  await undropped.createOptimizer(adam);
  expect((await undropped.accumulateGradients(examples)).loss).not.toBe(losses[2]);
  for (const model of [straight, first, second, undropped]) await model.release();
});

test('so does the dropout of the whole model, which no pass but training has', async () => {
  const dir = await baseDirectory('gpt2');
  const loaded = async () => {
    const model = await LanguageModel.load({ device, dir });
    model.useDropout(5);
    return model;
  };
  const [straight, first, second] = [await loaded(), await loaded(), await loaded()];
  const losses = await train(straight, 3);
  await train(first, 2);
  await first.optimizer.save(join(folder, 'optimizer.safetensors'));
  await second.restoreParameters(await first.copyParameters());
  await (await second.createOptimizer(adam)).restore(join(folder, 'optimizer.safetensors'));
  const scored = await second.logprobs(examples);
  expect(await second.logprobs(examples)).toEqual(scored);
  const whole = -scored.flatMap((row) => [...row]).reduce((sum, logprob) => sum + logprob, 0);
  const { loss } = await second.accumulateGradients(examples);
  expect(loss).toBe(losses[2]);
  expect(Math.abs(loss - whole)).toBeGreaterThan(1e-3);
  for (const model of [straight, first, second]) await model.release();
  const llamaModel = await LanguageModel.load({ device, dir: await baseDirectory('llama') });
  expect(() => llamaModel.useDropout(5)).toThrow('has no dropout probability above 0');
  await llamaModel.release();
});

test('files are PEFT’s: names, shapes, and fan_in_fan_out for GPT-2', async () => {
  const dir = await baseDirectory('gpt2');
  const model = await LanguageModel.load({ device, dir, lora: plain });
  const adapter = join(folder, 'peft');
  await model.save(adapter);
  const tensors = await readSafetensors(join(adapter, 'adapter_model.safetensors'));
  expect(Object.entries(tensors).map(([name, { shape }]) => [name, ...shape])).toEqual(
    [0, 1].flatMap((layer) => [
      [`base_model.model.transformer.h.${layer}.attn.c_attn.lora_A.weight`, 4, 32],
      [`base_model.model.transformer.h.${layer}.attn.c_attn.lora_B.weight`, 96, 4],
    ]),
  );
  const config: unknown = JSON.parse(await readFile(join(adapter, 'adapter_config.json'), 'utf8'));
  expect(config).toMatchObject({
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: dir,
    r: 4,
    lora_alpha: 8,
    target_modules: ['c_attn'],
    fan_in_fan_out: true,
    bias: 'none',
  });
  await model.release();
});

test('a target that the model does not have, a base that is not there, and weights of another shape are refused', async () => {
  const dir = await baseDirectory('llama');
  await expect(LanguageModel.load({ device, dir, lora: { ...plain, targetModules: ['c_attn'] } })).rejects.toThrow(
    [
      "LoRA: no linear layer of this llama is called 'c_attn'",
      '  its linear layers are q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj, lm_head',
      '  name some of them in target_modules, or write all-linear',
    ].join('\n'),
  );
  const model = await LanguageModel.load({ device, dir, lora: plain });
  const adapter = join(folder, 'refused');
  await model.save(adapter);
  const path = join(adapter, 'adapter_model.safetensors');
  const tensors = await readSafetensors(path);
  const name = 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight';
  await writeSafetensors(path, { ...tensors, [name]: { shape: [2, 64], data: new Float32Array(128) } });
  await expect(LanguageModel.load({ device, dir: adapter })).rejects.toThrow(
    `Cannot load the adapter ${adapter}\n  adapter_model.safetensors: '${name}' is [2, 64], the base requires [4, 32]`,
  );
  await rm(dir, { recursive: true });
  await expect(LanguageModel.load({ device, dir: adapter })).rejects.toThrow(
    `adapter_config.json: base_model_name_or_path is ${JSON.stringify(dir)}, which is not a directory here`,
  );
  await model.release();
});

test.each(['4bit', '8bit'] as const)(
  'QLoRA: adapters learn on a %s base as on the float32 one',
  async (quantization) => {
    const dir = await baseDirectory('llama');
    const lora = { ...plain, targetModules: 'all-linear' };
    const whole = await LanguageModel.load({ device, dir, lora });
    const model = await LanguageModel.load({ device, dir, lora, quantization });
    const [expected, losses] = [await train(whole, 25), await train(model, 25)];
    expect(losses.at(-1)!).toBeLessThan(losses[0] / 2);
    expect(Math.abs(losses[0] / expected[0] - 1)).toBeLessThan(0.05);
    // The merged export is the dequantised base with the adapter added.
    const after = await model.logprobs(examples);
    await model.saveMerged(join(folder, `merged-${quantization}`));
    const merged = await LanguageModel.load({ device, dir: join(folder, `merged-${quantization}`) });
    const close = await merged.logprobs(examples);
    after.forEach((row, i) => row.forEach((x, t) => expect(Math.abs(close[i][t] - x)).toBeLessThan(1e-3)));
    const frozen = await LanguageModel.load({ device, dir, quantization });
    await expect(frozen.createOptimizer(adam)).rejects.toThrow('quantised weights are frozen');
    for (const each of [whole, model, merged, frozen]) await each.release();
  },
);
