// Compares adapters in PEFT's layout with outputs and gradients from PyTorch; make-reference-checkpoints.py made both.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { architectureFor } from '../src/language-model/architectures.js';
import { readParameters } from '../src/architecture/checkpoint-layout.js';
import { DecodePrograms } from '../src/decoding/decode-programs.js';
import { Episodes } from '../src/decoding/episodes.js';
import { createAdapters, openAdapterDirectory } from '../src/language-model/model-weights.js';
import { mergeAdapters } from '../src/lora/merge-adapters.js';
import { readAdapterWeights, writeAdapter } from '../src/lora/peft-files.js';
import { openSafetensors, readSafetensors } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { TokenScorer } from '../src/training/token-scorer.js';

interface Reference {
  loss: number;
  examples: { ids: number[]; targets: number[]; weights: number[]; logprobs: number[]; base_logprobs: number[] }[];
  prompt: number[];
  greedy_ids: number[];
}

const fixtures = fileURLToPath(new URL('./adapter-fixtures', import.meta.url));
const names = readdirSync(fixtures);
const readJson = <T>(...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as T;

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

async function load(name: string) {
  const dir = join(fixtures, name);
  const { baseDir, adapter } = await openAdapterDirectory(dir);
  const architecture = architectureFor(readJson<Record<string, unknown>>(baseDir, 'config.json'));
  const source = await openSafetensors(baseDir);
  const tensors = await readParameters(architecture.parameters, source).finally(() => source.close());
  const weights = await createAdapters(device, architecture, { options: adapter!, seed: 0, dir });
  const adapters = { ...weights, dropoutRng: new Rng(1) };
  return { dir, baseDir, device, architecture, tensors, adapters, maskedTokenIds: [], padTokenId: 0 };
}

test('there are adapters of a list, of a pattern, and beside Conv1D', () => {
  expect(names).toEqual(['gpt-neox-names', 'gpt2-conv1d', 'llama-list', 'mistral-pattern']);
});

describe.each(names)('%s', (name) => {
  const reference = readJson<Reference>(fixtures, name, 'reference.json');
  const examplesWith = (weights: (example: Reference['examples'][0]) => ArrayLike<number>) =>
    reference.examples.map((example) => ({
      ids: Int32Array.from(example.ids),
      targets: Int32Array.from(example.targets),
      weights: Float32Array.from(weights(example)),
    }));
  const expectLogprobs = (scores: Float32Array[], of: 'logprobs' | 'base_logprobs') =>
    reference.examples.forEach((example, i) =>
      example[of].forEach((expected, t) => expect(Math.abs(scores[i][t] - expected)).toBeLessThan(2e-5)),
    );
  const everywhere = examplesWith(({ ids }) => ids.map(() => 1));

  test('log-probabilities with the adapters on, off, and merged are those of PyTorch', async () => {
    const { tensors, dir, ...options } = await load(name);
    const { layout } = options.adapters;
    const merged = Object.fromEntries(
      Object.entries(tensors).map(([key, { shape, data }]) => [key, { shape, data: data.slice() }]),
    );
    mergeAdapters(merged, await readAdapterWeights(dir, layout), layout);
    const scorer = new TokenScorer({ ...options, parameters: await device.createState(tensors) });
    expectLogprobs(await scorer.logprobs(everywhere), 'logprobs');
    expectLogprobs(await scorer.logprobs(everywhere, { adapters: false }), 'base_logprobs');
    await scorer.release();
    const plain = new TokenScorer({
      ...options,
      adapters: undefined,
      parameters: await device.createState(merged),
    });
    expectLogprobs(await plain.logprobs(everywhere), 'logprobs');
    await plain.release();
  });

  test('loss, and the gradients of every A and B', async () => {
    const { tensors, dir, ...options } = await load(name);
    const { parameters } = options.adapters.layout;
    const gradients = await device.createZeros(Object.fromEntries(parameters.map((spec) => [spec.name, spec.shape])));
    const scorer = new TokenScorer({ ...options, parameters: await device.createState(tensors) });
    const examples = examplesWith(({ weights }) => weights);
    const { loss } = await scorer.accumulateGradients(examples, gradients);
    expect(Math.abs(loss - reference.loss)).toBeLessThan(1e-4);
    const expected = await readSafetensors(join(dir, 'gradients.safetensors'));
    const found = await device.read(gradients);
    expect(
      Object.keys(found)
        .map((key) => `base_model.model.${key}`)
        .sort(),
    ).toEqual(Object.keys(expected).sort());
    for (const [key, { data }] of Object.entries(found)) {
      const wanted = expected[`base_model.model.${key}`].data;
      const tolerance = 1e-4 * Math.max(...wanted.map(Math.abs));
      wanted.forEach((value, i) => expect(Math.abs(Number(data[i]) - value)).toBeLessThan(tolerance));
    }
    await scorer.release();
  });

  test('the cached decoder has the same greedy tokens', async () => {
    const { tensors, ...options } = await load(name);
    const programs = new DecodePrograms({ ...options, parameters: await device.createState(tensors) });
    const episodes = await Episodes.open({ ...options, programs, contextLength: 32, slots: 1 });
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 16, terminatorIds: [] };
    const [said] = await episodes.act([{ slot: 0, tokens: reference.prompt, rng: new Rng(1) }], sampling);
    expect(said.ids).toEqual(reference.greedy_ids);
    await episodes.close();
    await programs.release();
  });

  test('written again, the files say the same', async () => {
    const { dir, baseDir, adapters } = await load(name);
    const copy = newFolder();
    await writeAdapter(copy, await readAdapterWeights(dir, adapters.layout), adapters.layout, baseDir);
    const file = 'adapter_model.safetensors';
    expect(await readSafetensors(join(copy, file))).toEqual(await readSafetensors(join(dir, file)));
    const { base_model_name_or_path: base, ...written } = readJson<Record<string, unknown>>(
      copy,
      'adapter_config.json',
    );
    expect(base).toBe(baseDir);
    expect(readJson(dir, 'adapter_config.json')).toMatchObject(written);
  });
});
