// Compares tiny random checkpoints with outputs and gradients from PyTorch; make-reference-checkpoints.py made both.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { architectureFor } from '../src/language-model/architectures.js';
import { readParameters } from '../src/architecture/checkpoint-layout.js';
import { DecodePrograms } from '../src/decoding/decode-programs.js';
import { Episodes } from '../src/decoding/episodes.js';
import { openSafetensors, SafetensorsFile } from '@bowyer/checkpoints';
import { TokenScorer } from '../src/training/token-scorer.js';

interface Reference {
  loss: number;
  examples: { ids: number[]; targets: number[]; weights: number[]; logprobs: number[] }[];
  prompt: number[];
  greedy_ids: number[];
}

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));
const names = readdirSync(fixtures).filter((name) => name !== 'pickles');
const readJson = <T>(...path: string[]) => JSON.parse(readFileSync(join(fixtures, ...path), 'utf8')) as T;

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

async function load(name: string) {
  const architecture = architectureFor(readJson<Record<string, unknown>>(name, 'config.json'));
  const source = await openSafetensors(join(fixtures, name));
  const tensors = await readParameters(architecture.parameters, source).finally(() => source.close());
  const parameters = await device.createState(tensors);
  return { device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 };
}

test('every family has a fixture', () => {
  const types = names.map((name) => readJson<{ model_type: string }>(name, 'config.json').model_type);
  expect([...new Set(types)].sort()).toEqual(['falcon', 'gpt2', 'gpt_neox', 'llama', 'mistral', 'qwen2', 'qwen3']);
});

describe.each(names)('%s', (name) => {
  const reference = readJson<Reference>(name, 'reference.json');

  test('the log-probability of every token is that of PyTorch', async () => {
    const scorer = new TokenScorer(await load(name));
    const examples = reference.examples.map(({ ids, targets }) => ({
      ids: Int32Array.from(ids),
      targets: Int32Array.from(targets),
      weights: new Float32Array(ids.length).fill(1),
    }));
    const scores = await scorer.logprobs(examples);
    reference.examples.forEach(({ logprobs }, i) =>
      logprobs.forEach((expected, t) => expect(Math.abs(scores[i][t] - expected)).toBeLessThan(2e-5)),
    );
    await scorer.release();
  });

  test('so are loss and gradients', async () => {
    const options = await load(name);
    const scorer = new TokenScorer(options);
    const shapes = Object.fromEntries(options.architecture.parameters.map((spec) => [spec.name, spec.shape]));
    const gradients = await device.createZeros(shapes);
    const examples = reference.examples.map(({ ids, targets, weights }) => ({
      ids: Int32Array.from(ids),
      targets: Int32Array.from(targets),
      weights: Float32Array.from(weights),
    }));
    const { loss } = await scorer.accumulateGradients(examples, gradients);
    expect(Math.abs(loss - reference.loss)).toBeLessThan(1e-4);
    // Gradients are read in the same way as weights, since they have the same layout in the file.
    const source = await SafetensorsFile.open(join(fixtures, name, 'gradients.safetensors'));
    const expected = await readParameters(options.architecture.parameters, source).finally(() => source.close());
    const found = await device.read(gradients);
    expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
    for (const [parameter, { data }] of Object.entries(expected)) {
      const scale = Math.max(...data.map(Math.abs));
      // A key's bias changes all scores of a query by the same amount, which the softmax removes, so its gradient is only rounding.
      const tolerance = Math.max(1e-4 * scale, 2e-5);
      data.forEach((value, i) => expect(Math.abs(Number(found[parameter].data[i]) - value)).toBeLessThan(tolerance));
    }
    await scorer.release();
  });

  test('the cached decoder has the same greedy tokens', async () => {
    const options = await load(name);
    const programs = new DecodePrograms(options);
    const episodes = await Episodes.open({ ...options, programs, contextLength: 32, slots: 2 });
    const turns = [0, 1].map((slot) => ({ slot, tokens: reference.prompt.slice(slot), rng: new Rng(1) }));
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 16, terminatorIds: [] };
    const [utterance] = await episodes.act(turns, sampling);
    expect(utterance.ids).toEqual(reference.greedy_ids);
    await episodes.close();
    await programs.release();
  });
});
