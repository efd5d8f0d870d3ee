// Compares fields of adapter_config.json with peft 0.21; record-fields.py recorded peft's results.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { writeSafetensors, type ConfigJson } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { LanguageModel } from '../src/language-model/language-model.js';
import { recorded, weightsOf, writeFolder } from './field-folders.js';
import { continuationExample } from './reference/continuation-example.js';

interface Recording {
  ids: number[];
  base: ConfigJson;
  cases: {
    title: string;
    adapter: ConfigJson;
    /** The tensors' shapes in the file. */
    tensors: Record<string, number[]>;
    logprobs: number[];
    /** The gradients of −Σ logprobs, by the names in the file: the norm, and Σ gradient_i sin(i). */
    gradients: Record<string, [number, number]>;
    refused?: string;
  }[];
}

const { ids, base, cases } = recorded<Recording>('adapters');
const folder = newFolder();
const dir = join(folder, 'adapter');
const device = await openDevice({ device: 'cpu', threads: 1 });
await writeFolder(join(folder, 'base'), { config: base });
afterAll(() => device.close());

const example = continuationExample(ids.slice(0, 1), ids.slice(1));

interface Found {
  logprobs: Float32Array;
  gradients: Record<string, readonly [number, number]>;
}

async function writeAdapter(adapter: ConfigJson, tensors: Record<string, number[]>): Promise<void> {
  mkdirSync(dir, { recursive: true });
  const named = { ...adapter, base_model_name_or_path: join(folder, 'base') };
  writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify(named));
  const weights = Object.entries(tensors).map(([name, shape]) => [name, weightsOf(name, shape)] as const);
  await writeSafetensors(join(dir, 'adapter_model.safetensors'), Object.fromEntries(weights));
}

/** Computes log-probabilities and sums of the gradients with the adapter in `dir`, saves the adapter again, and merges it. */
async function found(): Promise<Found> {
  const model = await LanguageModel.load({ device, dir, masksPadding: false });
  const [logprobs] = await model.logprobs([example]);
  const { gradients } = await model.createOptimizer({ kind: 'sgd', momentum: 0, weightDecay: 0, nesterov: false });
  await model.accumulateGradients([example]);
  const read = Object.entries(await device.read(gradients)).map(([name, { data }]) => {
    const values = [...(data as Float32Array)];
    const sums = [
      Math.sqrt(values.reduce((sum, x) => sum + x * x, 0)),
      values.reduce((sum, x, i) => sum + x * Math.sin(i), 0),
    ] as const;
    return [`base_model.model.${name}`, sums] as const;
  });
  await model.save(join(folder, 'saved'));
  await model.saveMerged(join(folder, 'merged'));
  await model.release();
  return { logprobs, gradients: Object.fromEntries(read) };
}

async function logprobs(path: string): Promise<Float32Array> {
  const model = await LanguageModel.load({ device, dir: path, masksPadding: false });
  const [scores] = await model.logprobs([example]);
  await model.release();
  return scores;
}

test('with magnitudes the cached decoder has the same log-probabilities, and a quantised base is refused', async () => {
  const { adapter, tensors } = cases.find(({ title }) => title === 'use_dora')!;
  await writeAdapter(adapter, tensors);
  for (const packedDecoding of [false, true]) {
    const model = await LanguageModel.load({ device, dir, masksPadding: false, packedDecoding });
    const episodes = await model.openEpisodes({ slots: 1 });
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 6, terminatorIds: [] };
    const turn = { slot: 0, tokens: ids.slice(0, 9), rng: new Rng(1) };
    const [said] = await episodes.act([turn], sampling);
    const [scores] = await model.logprobs([continuationExample(turn.tokens, said.ids)]);
    expect(largest(Float32Array.from(said.logprobs), [...scores.slice(-6)])).toBeLessThan(1e-5);
    await episodes.close();
    await model.release();
  }
  await expect(LanguageModel.load({ device, dir, quantization: '8bit' })).rejects.toThrow(
    'adapter_config.json: use_dora is true',
  );
});

const largest = (found: Float32Array, expected: readonly number[]) =>
  found.reduce((most, x, i) => Math.max(most, Math.abs(x - expected[i])), 0);

test.each(cases)('$title: as peft has it, also saved and merged', async (recording) => {
  const { adapter, tensors, refused } = recording;
  await writeAdapter(adapter, tensors);
  if (refused !== undefined) {
    await expect(found()).rejects.toThrow(`adapter_config.json: ${refused} is `);
    return;
  }
  const { logprobs: scores, gradients } = await found();
  expect(largest(scores, recording.logprobs)).toBeLessThan(1e-5);
  expect(Object.keys(gradients).sort()).toEqual(Object.keys(recording.gradients).sort());
  for (const [name, [norm, projection]] of Object.entries(recording.gradients)) {
    expect({ name, norm: Math.abs(gradients[name][0] / norm - 1) < 1e-4 }).toEqual({ name, norm: true });
    expect(Math.abs(gradients[name][1] - projection) / norm).toBeLessThan(1e-4);
  }
  expect(await logprobs(join(folder, 'saved'))).toEqual(scores);
  expect(largest(await logprobs(join(folder, 'merged')), recording.logprobs)).toBeLessThan(1e-4);
});

const plain = cases.find(({ title }) => title === 'use_rslora')!;

test('keys that are left out have PEFT’s values: r 8, lora_alpha 8, lora_dropout 0', async () => {
  const given = { ...plain.adapter, use_rslora: false, r: 8, lora_alpha: 8, lora_dropout: 0 };
  const tensors = Object.fromEntries(
    Object.entries(plain.tensors).map(([name, shape]) => [
      name,
      name.includes('lora_A') ? [8, shape[1]] : [shape[0], 8],
    ]),
  );
  await writeAdapter(given, tensors);
  const expected = await logprobs(dir);
  const omitted = ['r', 'lora_alpha', 'lora_dropout', 'use_rslora', 'fan_in_fan_out', 'bias', 'rank_pattern'];
  const left = Object.fromEntries(Object.entries(given).filter(([key]) => !omitted.includes(key)));
  await writeAdapter(left as ConfigJson, tensors);
  expect(await logprobs(dir)).toEqual(expected);
});

test.each<[string, unknown, string]>([
  ['r', null, 'r is null'],
  ['lora_alpha', '16', 'lora_alpha is "16"'],
  ['lora_dropout', 1, 'lora_dropout is 1'],
  ['target_modules', 3, 'target_modules is 3'],
  ['target_modules', '.*(?P<n>q)_proj(?P=m)', 'target_modules cannot be used (it refers to the group m'],
  [
    'exclude_modules',
    ['q_proj', 'down_proj'],
    'exclude_modules is ["q_proj","down_proj"], which excludes every module',
  ],
  ['exclude_modules', '(q_proj', 'exclude_modules '],
  ['exclude_modules', [3], 'exclude_modules is [3]'],
  ['modules_to_save', ['lm_head'], 'modules_to_save is ["lm_head"]'],
  ['layers_to_transform', [2], 'layers_to_transform is [2], and these layers have none of target_modules'],
  ['layers_to_transform', '0', 'layers_to_transform is "0"'],
  ['layers_to_transform', true, 'layers_to_transform is true'],
  ['layers_pattern', 'layers', 'layers_pattern is "layers"\n  it requires layers_to_transform'],
  ['target_parameters', ['x'], 'target_parameters is ["x"]'],
  ['trainable_token_indices', [1], 'trainable_token_indices is [1]'],
  ['lora_bias', true, 'lora_bias is true'],
  ['bias', 'all', 'bias is "all"'],
  ['peft_type', 'IA3', 'peft_type is "IA3"'],
])('%s of %j is refused with the file and the key', async (key, value, problem) => {
  await writeAdapter({ ...plain.adapter, [key]: value } as ConfigJson, plain.tensors);
  await expect(found()).rejects.toThrow(`adapter_config.json: ${problem}`);
});

test.each<[Record<string, unknown>, string]>([
  [{ peft_type: 'IA3', r: null }, 'peft_type is "IA3"'],
  [
    { layers_to_transform: 0, layers_pattern: ['h', 'blocks'] },
    'layers_pattern is ["h","blocks"], and no module has such a name',
  ],
  [{ layers_to_transform: 0, layers_pattern: 'layers|h' }, 'layers_pattern is "layers|h"'],
  [{ layers_to_transform: 0, target_modules: '.*q_proj' }, 'layers_to_transform is 0\n  it must be null where'],
  [{ layers_to_transform: 0, exclude_modules: '.*' }, 'exclude_modules is ".*", which excludes every module'],
])('%j is refused with the file and the key', async (keys, problem) => {
  await writeAdapter({ ...plain.adapter, ...keys } as ConfigJson, plain.tensors);
  await expect(found()).rejects.toThrow(`adapter_config.json: ${problem}`);
});

test('an adapter of some layers and modules, with names and layers that the base lacks, is the same one as with an expression', async () => {
  const module = 'model.layers.1.self_attn.q_proj';
  const tensors = Object.fromEntries(Object.entries(plain.tensors).filter(([name]) => name.includes(module)));
  await writeAdapter({ ...plain.adapter, target_modules: module.replaceAll('.', '\\.') } as ConfigJson, tensors);
  const expected = await found();
  const keys = {
    target_modules: ['q_proj', 'down_proj', 'query_key_value'],
    layers_to_transform: [1, 9],
    layers_pattern: 'layers',
    exclude_modules: ['mlp.down_proj'],
  };
  await writeAdapter({ ...plain.adapter, ...keys } as ConfigJson, tensors);
  expect(await found()).toEqual(expected);
  expect(await logprobs(join(folder, 'saved'))).toEqual(expected.logprobs);
  expect(largest(await logprobs(join(folder, 'merged')), [...expected.logprobs])).toBeLessThan(1e-4);
  const saved: unknown = JSON.parse(readFileSync(join(folder, 'saved', 'adapter_config.json'), 'utf8'));
  expect(saved).toMatchObject({ ...keys, layers_pattern: ['layers'] });
});
