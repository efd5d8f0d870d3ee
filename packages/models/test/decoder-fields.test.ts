// Compares fields of a decoder's config.json and names of its tensors, one at a time, with transformers 5.18; record-fields.py
// recorded its results.
import { join } from 'node:path';
import { openDevice } from '@bowyer/graph';
import { readPretrainedConfig, type ConfigJson } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { architectureFor } from '../src/language-model/architectures.js';
import { LanguageModel } from '../src/language-model/language-model.js';
import type { LoadOptions } from '../src/language-model/model-options.js';
import { recorded, writeFolder, type FolderFiles } from './field-folders.js';
import { continuationExample } from './reference/continuation-example.js';

interface Recording {
  ids: number[];
  /** A small model of each type, without special fields. */
  plain: { config: ConfigJson; logprobs: number[] }[];
  /** `logprobs` of every next token in nats; null where transformers fails. `refused`: the field that is refused here. */
  cases: (FolderFiles & { title: string; logprobs: number[] | null; refused?: string })[];
}

const { ids, plain, cases } = recorded<Recording>('decoders');
const everything = [
  ...plain.map((one) => ({ ...one, title: `a plain ${String(one.config.model_type)}`, refused: undefined })),
  ...cases,
];

const folder = newFolder();
const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

async function load(dir: string, options: Omit<LoadOptions, 'device' | 'dir'> = {}) {
  return LanguageModel.load({ device, dir, masksPadding: false, ...options });
}

async function logprobs(model: LanguageModel): Promise<number[]> {
  const [scores] = await model.logprobs([continuationExample(ids.slice(0, 1), ids.slice(1))]);
  return [...scores];
}

const largestDifference = (a: readonly number[], b: readonly number[]) =>
  a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

test.each(everything)('$title', async ({ title, refused, logprobs: expected, ...files }) => {
  if (refused !== undefined) {
    expect(() => architectureFor(files.config)).toThrow(`: ${refused} is `);
    return;
  }
  const dir = await writeFolder(join(folder, 'case'), files);
  const model = await load(dir);
  const found = await logprobs(model);
  expect({ title, differsBy: largestDifference(found, expected!) < 1e-4 ? 'less than 1e-4' : found }).toEqual({
    title,
    differsBy: 'less than 1e-4',
  });
  await model.release();
});

test('a head of its own is kept by saving, by 8 bits and by adapters', async () => {
  const {
    config,
    extra,
    logprobs: expected,
  } = cases.find(({ title }) => title.startsWith('gpt2: a head of its own,'))!;
  const dir = await writeFolder(join(folder, 'untied'), { config, extra });
  const lora = { r: 2, alpha: 4, dropout: 0, targetModules: ['c_attn', 'lm_head'], seed: 1 };
  const [model, adapted, quantized] = [
    await load(dir),
    await load(dir, { lora }),
    await load(dir, { quantization: '8bit' }),
  ];
  expect(model.config.tie_word_embeddings).toBe(false);
  expect(largestDifference(await logprobs(quantized), expected!)).toBeLessThan(0.02);
  await model.save(join(folder, 'saved'));
  await adapted.saveMerged(join(folder, 'merged'));
  for (const name of ['saved', 'merged']) {
    expect(await readPretrainedConfig(join(folder, name))).toMatchObject({ tie_word_embeddings: false });
    const again = await load(join(folder, name));
    expect(largestDifference(await logprobs(again), expected!)).toBeLessThan(1e-4);
    await again.release();
  }
  for (const each of [model, adapted, quantized]) await each.release();
});
