// Tests that losses which the training graph sums over tokens have the gradients of core's losses on the host, and return log p of
// every target, whether or not it has a weight and whether or not common prefixes are computed once.
import { jest } from '@jest/globals';
import { cispoLoss, droLoss, ppoClipLoss, Rng, type TokenLoss } from '@bowyer/core';
import { openDevice, type State } from '@bowyer/graph';
import { initializeParameters } from '../architecture/initialize-parameters.js';
import type { TokenExample } from '../batching/token-batches.js';
import { architectureFor } from '../language-model/architectures.js';
import type { TokenLosses } from './token-losses.js';
import { TokenPrograms } from './token-programs.js';
import { TokenScorer } from './token-scorer.js';

const VOCABULARY = 30;
const config = { model_type: 'gpt2', vocab_size: VOCABULARY, n_embd: 16, n_head: 2, n_layer: 2, n_positions: 64 };
const rng = new Rng(4);
const randomIds = (count: number) => Int32Array.from({ length: count }, () => rng.integer(1, VOCABULARY - 1));

const device = await openDevice({ device: 'cpu', threads: 1 });
let scorer: TokenScorer;
let gradients: State;
beforeAll(async () => {
  const architecture = architectureFor(config);
  const start = initializeParameters(architecture.parameters, new Rng(1));
  const wide = new Rng(2);
  for (const { data, shape } of Object.values(start))
    if (shape.length === 2) data.forEach((_, i) => (data[i] = 0.3 * wide.normal()));
  const parameters = await device.createState(start);
  gradients = await device.createZeros(
    Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape])),
  );
  scorer = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0 });
});
afterAll(() => device.close());

/** Four answers to a prompt of 44 tokens, two short texts, and a text without scored tokens. Prompts have weight 0. */
const texts = [44, 44, 44, 44, 3, 5, 7];
const prompt = randomIds(44);
const examples = texts.map((length, e): TokenExample => {
  const ids = Int32Array.of(...(length === 44 ? prompt : randomIds(length)), ...randomIds(4 + e));
  const targets = Int32Array.of(...ids.slice(1), rng.integer(1, VOCABULARY - 1));
  return { ids, targets, weights: Float32Array.from(ids, (_, t) => (e === 6 || t < length - 1 ? 0 : rng.normal())) };
});
const numbers = (mean: number, deviation: number) =>
  examples.map(({ weights }) => weights.map((w) => (w === 0 ? 0 : mean + deviation * rng.normal())));
const sampled = { oldLogprobs: numbers(-3.5, 0.7), advantages: numbers(0, 1) };
const weights = examples.map((example) => example.weights);

/** Reads the accumulated gradients, and sets them to zero. */
async function added(): Promise<Record<string, Float32Array>> {
  const found = await device.read(gradients);
  const zeros = Object.entries(found).map(([name, { data }]) => [name, { data: new Float32Array(data.length) }]);
  await device.write(gradients, Object.fromEntries(zeros));
  return Object.fromEntries(Object.entries(found).map(([name, { data }]) => [name, data as Float32Array]));
}

function expectSame(found: Record<string, Float32Array>, wanted: Record<string, Float32Array>): void {
  for (const [name, data] of Object.entries(wanted)) {
    const largest = Math.max(...data.map(Math.abs), 1e-3);
    const difference = Math.max(...data.map((x, i) => Math.abs(x - found[name][i])));
    if (difference > 5e-5 * largest) throw new Error(`${name}: ${difference} of ${largest}`);
  }
}

/** Selects the elements at positions with a weight, [N]. */
const learned = (rows: readonly Float32Array[]) =>
  Float32Array.from(rows.flatMap((row, e) => [...row].filter((_, t) => weights[e][t] !== 0)));

const losses: [string, Pick<TokenLosses, 'policy' | 'scalars'>, (logprobs: Float32Array) => TokenLoss][] = [
  [
    'clip',
    { policy: 'clip', scalars: { low: 0.8, high: 1.3 } },
    (logprobs) => ppoClipLoss({ logprobs, ...flat() }, { clipLow: 0.2, clipHigh: 0.3, dualClip: null }),
  ],
  [
    'clip without bounds',
    { policy: 'clip', scalars: { low: 0, high: Infinity } },
    (logprobs) => ppoClipLoss({ logprobs, ...flat() }, { clipLow: 1, clipHigh: Infinity, dualClip: null }),
  ],
  [
    'cispo',
    { policy: 'cispo', scalars: { low: 0.5, high: 2 } },
    (logprobs) => cispoLoss({ logprobs, ...flat() }, { low: 0.5, high: 2 }),
  ],
  ['dro', { policy: 'dro', scalars: { beta: 0.3 } }, (logprobs) => droLoss({ logprobs, ...flat() }, 0.3)],
  ['likelihood', { policy: 'likelihood', scalars: {} }, likelihood],
];

const flat = () => ({
  oldLogprobs: learned(sampled.oldLogprobs),
  advantages: learned(sampled.advantages),
  weights: learned(weights),
});

function likelihood(logprobs: Float32Array): TokenLoss {
  const all = learned(weights);
  const loss = -logprobs.reduce((sum, logprob, t) => sum + all[t] * logprob, 0);
  return { loss, gradient: all.map((w) => -w) };
}

test.each(losses)('%s', async (_, form, lossOf) => {
  await scorer.accumulateLogprobGradients(examples, ({ logprobs }) => lossOf(logprobs), gradients);
  const wanted = await added();
  const options = { maxTokens: 100 };
  const found = await scorer.accumulateTokenLosses(
    examples,
    { ...form, width: 1, weights, ...sampled },
    gradients,
    options,
  );
  expectSame(await added(), wanted);
  const scored = await scorer.logprobs(
    examples.map((example) => ({ ...example, weights: example.weights.map(() => 1) })),
  );
  scored.forEach((row, e) => row.forEach((logprob, t) => expect(found[e][t]).toBeCloseTo(logprob, 4)));
});

test('several targets of a position are as many losses', async () => {
  const width = 3;
  const targeted = examples.map(({ ids }) => ({ ids, targets: randomIds(ids.length * width) }));
  const several = targeted.map(({ targets }) => Float32Array.from(targets, () => rng.normal()));
  const column = <Row extends Int32Array | Float32Array>(row: Row, k: number) =>
    row.filter((_, i) => i % width === k) as Row;
  const wanted: Float32Array[] = targeted.map(({ targets }) => new Float32Array(targets.length));
  for (let k = 0; k < width; k++) {
    const one = targeted.map(({ ids, targets }, e) => ({
      ids,
      targets: column(targets, k),
      weights: column(several[e], k),
    }));
    await scorer.accumulateGradients(one, gradients);
    const scored = await scorer.logprobs(one);
    scored.forEach((row, e) => row.forEach((logprob, t) => (wanted[e][t * width + k] = logprob)));
  }
  const sum = await added();
  const wide = { policy: 'likelihood', scalars: {}, width, weights: several } as const;
  const found = await scorer.accumulateTokenLosses(targeted, wide, gradients);
  expectSame(await added(), sum);
  wanted.forEach((row, e) => row.forEach((logprob, i) => expect(found[e][i]).toBeCloseTo(logprob, 4)));
});

test('the targets of 3,000 tokens are scored in more than one batch, unless somebody asks for more at once', async () => {
  const many = Array.from({ length: 100 }, () => ({ ids: randomIds(30), targets: randomIds(30) }));
  const programs = jest.spyOn(TokenPrograms.prototype, 'scoring');
  const found = await scorer.targetLogprobs(many, 1);
  expect(programs).toHaveBeenCalledTimes(2);
  programs.mockClear();
  const whole = await scorer.targetLogprobs(many, 1, { maxTokens: Infinity });
  expect(programs).toHaveBeenCalledTimes(1);
  programs.mockRestore();
  found.forEach((row, e) => row.forEach((logprob, t) => expect(logprob).toBeCloseTo(whole[e][t], 5)));
});
