// Compares a shrunk model of every family with transformers; families/make-family-recordings.py made the recordings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { DecodePrograms } from '../src/decoding/decode-programs.js';
import { Episodes } from '../src/decoding/episodes.js';
import { allFamilies } from '../src/decoder/all-families.js';
import { architectureFor } from '../src/language-model/architectures.js';
import { FrozenWeights } from '../src/quantization/frozen-weights.js';
import { adapterLayout } from '../src/lora/adapter-layout.js';
import { TokenScorer } from '../src/training/token-scorer.js';
import { formulaWeights, hashes, projections, tokenIds } from './families/formula-weights.js';

interface Recording {
  config: Record<string, unknown> & { model_type: string; vocab_size: number };
  /** PEFT's default target modules; null where it has none. */
  loraTargets: string[] | null;
  loss: number;
  logprobs: number[][];
  greedy: number[];
  parameters: Record<string, number[]>;
  gradients: Record<string, number[]>;
}

const dir = fileURLToPath(new URL('./families', import.meta.url));
const names = readdirSync(dir).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []));
const read = (name: string) => JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8')) as Recording;

/** reference-checkpoints.test.ts tests these families. */
const referenced = ['gpt2', 'gpt_neox', 'llama', 'mistral', 'qwen2', 'qwen3'];
/** own-families.test.ts and recurrent-episodes.test.ts test these. */
const ours = ['canon_llama', 'smeared_llama'];

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

test('every family has a recording', () => {
  const recorded = new Set([...referenced, ...ours, ...names.map((name) => read(name).config.model_type)]);
  expect([...recorded].sort()).toEqual(Object.keys(allFamilies).sort());
});

describe.each(names)('%s', (name) => {
  const recording = read(name);
  const { config } = recording;
  const architecture = architectureFor(config);
  const examples = recording.logprobs.map(({ length }, index) => ({
    ids: Int32Array.from(tokenIds(`ids.${index}`, length, config.vocab_size)),
    targets: Int32Array.from(tokenIds(`targets.${index}`, length, config.vocab_size)),
    weights: Float32Array.from({ length }, (_, position) => (position % 3 ? 1 : 0.5)),
  }));
  const all = examples.map((example) => ({ ...example, weights: new Float32Array(example.ids.length).fill(1) }));
  const largestDifference = (scores: ArrayLike<number>[]) =>
    Math.max(...recording.logprobs.flatMap((logprobs, i) => logprobs.map((x, t) => Math.abs(scores[i][t] - x))));
  const load = async () => {
    const parameters = await device.createState(formulaWeights(architecture.parameters));
    return { device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 };
  };

  test('parameters and default targets of LoRA are those of transformers and PEFT', () => {
    const shapes = Object.fromEntries(architecture.parameters.map((spec) => [spec.name, spec.shape]));
    expect(shapes).toEqual(recording.parameters);
    const { adapters } = adapterLayout(architecture, { r: 1, alpha: 1, dropout: 0, targetModules: null });
    const targets = [...adapters.keys()].map((weight) => weight.split('.').at(-2)!);
    if (recording.loraTargets) expect([...new Set(targets)].sort()).toEqual([...recording.loraTargets].sort());
  });

  test('log-probabilities, loss and gradients', async () => {
    const options = await load();
    const scorer = new TokenScorer(options);
    expect(largestDifference(await scorer.logprobs(all))).toBeLessThan(5e-5);

    const shapes = Object.fromEntries(architecture.parameters.map((spec) => [spec.name, spec.shape]));
    const gradients = await device.createZeros(shapes);
    const { loss } = await scorer.accumulateGradients(examples, gradients);
    expect(Math.abs(loss - recording.loss)).toBeLessThan(1e-4 * recording.loss);
    const found = await device.read(gradients);
    for (const [parameter, expected] of Object.entries(recording.gradients)) {
      const tolerance = Math.max(2e-4 * expected[0], 1e-4);
      projections(parameter, found[parameter].data as Float32Array).forEach((value, i) => {
        if (!(Math.abs(value - expected[i]) < tolerance))
          throw new Error(`gradient of ${parameter}: projection ${i} is ${value}, not ${expected[i]}`);
      });
    }
    await scorer.release();
  });

  // The families alternate between 4 and 8 bits. Rows whose length is not a multiple of a block's (those of 20) stay in float32.
  test('in 4 or 8 bits', async () => {
    const is4Bit = names.indexOf(name) % 2 === 0;
    const quantization = is4Bit ? '4bit' : '8bit';
    const frozen = new FrozenWeights(device, architecture, quantization);
    for (const [parameter, tensor] of Object.entries(formulaWeights(architecture.parameters)))
      frozen.take(parameter, tensor);
    const parameters = await device.createState(frozen.tensors);
    expect(frozen.kept.quantized!.size).toBeGreaterThanOrEqual(4);
    const options = { device, architecture, parameters, maskedTokenIds: [], padTokenId: 0, ...frozen.kept };
    const scorer = new TokenScorer(options);
    const difference = largestDifference(await scorer.logprobs(all));
    expect(difference).toBeGreaterThan(1e-5);
    // Rounding may change the choice of an expert, which changes the result abruptly; gated states of these narrow heads enlarge the
    // error.
    const jumps = architecture.parameters.some(({ name }) => /expert|linear_attn/.test(name));
    expect(difference).toBeLessThan(is4Bit || jumps ? 6 : 0.3);
    await scorer.release();
  });

  test('the cached decoder has the same greedy tokens, beyond windows and over chunks of the prompt', async () => {
    const options = await load();
    const programs = new DecodePrograms(options);
    const episodes = await Episodes.open({ programs, contextLength: 40, slots: 2, prefillChunk: 4 });
    const prompt = tokenIds('prompt', 7, config.vocab_size);
    const turns = [0, 1].map((slot) => ({ slot, tokens: prompt.slice(3 * slot), rng: new Rng(1) }));
    const sampling = { temperature: 1, topK: 0, topP: 1, greedy: true, maxNewTokens: 20, terminatorIds: [] };
    const [utterance] = await episodes.act(turns, sampling);
    expect(utterance.ids).toEqual(recording.greedy);
    await episodes.close();
    await programs.release();
  });
});

test('the formula gives what the tool made of it', () => {
  expect([...hashes('formula', 2)].map((x) => x.toFixed(6))).toEqual(['-0.100487', '-0.300481']);
});
