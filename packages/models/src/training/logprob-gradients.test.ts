// Tests losses that are functions of log-probabilities: one call scores, computes the loss on the host and runs the backward pass.
import { entropyBonus, ppoClipLoss, Rng, weightedSum, type ScoredTokens, type TokenLoss } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { expectCentralDifferences, inFloat64 } from '../../test/reference/central-differences.js';
import { gpt2LoopLogits, logprobOf } from '../../test/reference/gpt2-loops.js';
import { randomExamples, tinyConfig, tinyParameters } from '../../test/reference/tiny-gpt2.js';
import { gpt2 } from '../decoder/families/gpt2.js';
import type { HostTensors } from '@bowyer/checkpoints';
import type { TokenExample } from '../batching/token-batches.js';
import { TokenScorer } from './token-scorer.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const config = tinyConfig({ n_embd: 6, n_positions: 8, vocab_size: 7, tie_word_embeddings: true, resid_pdrop: 0.1 });
const tensors = tinyParameters(config, 5);
const examples = randomExamples(4, 6, 7, new Rng(6));
const count = examples.reduce((sum, { weights }) => sum + weights.filter((weight) => weight !== 0).length, 0);
const numbers = (seed: number) => {
  const rng = new Rng(seed);
  return Float32Array.from({ length: count }, () => rng.normal());
};

async function scorer(options: { dropoutRng?: Rng } = {}) {
  const architecture = gpt2(config);
  const copy = Object.entries(tensors).map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]);
  const parameters = await device.createState(Object.fromEntries(copy) as HostTensors);
  const gradients = await device.createZeros(
    Object.fromEntries(architecture.parameters.map(({ name, shape }) => [name, shape])),
  );
  const scoring = new TokenScorer({ device, architecture, parameters, maskedTokenIds: [], padTokenId: 0, ...options });
  return { scoring, gradients };
}

/** Computes log-probabilities and entropies of all scored tokens with the float64 loops. */
function loopTokens(weights: HostTensors): ScoredTokens {
  const logprobs: number[] = [];
  const entropies: number[] = [];
  for (const { ids, targets, weights: mask } of examples) {
    const logits = gpt2LoopLogits(config, weights, ids);
    mask.forEach((weight, t) => {
      if (weight === 0) return;
      logprobs.push(logprobOf(logits[t], targets[t]));
      const all = Array.from(logits[t], (_, token) => logprobOf(logits[t], token));
      entropies.push(-all.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0));
    });
  }
  // float64 arrays, so that differences of losses are exact enough
  return { logprobs: Float64Array.from(logprobs), entropies: Float64Array.from(entropies) } as unknown as ScoredTokens;
}

async function expectDifferencesOf(lossOf: (tokens: ScoredTokens) => TokenLoss, options = {}) {
  const { scoring, gradients } = await scorer();
  const { loss } = await scoring.accumulateLogprobGradients(examples, lossOf, gradients, options);
  expect(loss).toBeCloseTo(lossOf(loopTokens(tensors)).loss, 4);
  const lossAt = (weights: HostTensors) => lossOf(loopTokens(weights)).loss;
  await expectCentralDifferences(device, [gradients], inFloat64(tensors), lossAt);
}

test('REINFORCE has the gradients that its weights have without a scoring pass', async () => {
  const [direct, through] = [await scorer(), await scorer()];
  const advantages = numbers(1);
  let n = 0;
  const weighted = examples.map((example): TokenExample => ({
    ...example,
    weights: example.weights.map((weight) => (weight === 0 ? 0 : advantages[n++])),
  }));
  const plain = await direct.scoring.accumulateGradients(weighted, direct.gradients);
  const { loss } = await through.scoring.accumulateLogprobGradients(
    examples,
    ({ logprobs }) => ({
      loss: -logprobs.reduce((sum, logprob, t) => sum + advantages[t] * logprob, 0),
      gradient: advantages.map((advantage) => -advantage),
    }),
    through.gradients,
  );
  expect(loss).toBeCloseTo(plain.loss, 4);
  expect(await device.read(through.gradients)).toEqual(await device.read(direct.gradients)); // the same weights, to the bit
});

const ppo = {
  oldLogprobs: numbers(2).map((x) => -2 + 0.3 * x),
  advantages: numbers(3),
  weights: new Float32Array(count).fill(1 / count),
};
const clip = { clipLow: 0.2, clipHigh: 0.28, dualClip: 3 };

test('PPO clip with an entropy bonus, entropies among the scored quantities', async () => {
  await expectDifferencesOf(
    ({ logprobs, entropies }) =>
      weightedSum(
        { loss: ppoClipLoss({ logprobs, ...ppo }, clip), coefficient: 1 },
        { loss: entropyBonus(entropies, ppo.weights), coefficient: 0.5 },
      ),
    { entropies: true },
  );
});

test('the loss is over all examples, however they are split into micro-batches; its own figures come back', async () => {
  const [whole, split] = [await scorer(), await scorer()];
  const lossOf = ({ logprobs }: ScoredTokens) => ppoClipLoss({ logprobs, ...ppo }, clip);
  const once = await whole.scoring.accumulateLogprobGradients(examples, lossOf, whole.gradients);
  const parts = await split.scoring.accumulateLogprobGradients(examples, lossOf, split.gradients, { maxTokens: 7 });
  expect(parts.loss).toBeCloseTo(once.loss, 5);
  expect(parts.clipFraction).toBe(once.clipFraction);
  expect(once.clipFraction).toBeGreaterThan(0);
  const [one, other] = [await device.read(whole.gradients), await device.read(split.gradients)];
  for (const [name, { data }] of Object.entries(one))
    data.forEach((x, i) => expect(other[name].data[i]).toBeCloseTo(Number(x), 4));
});

test('a model that trains with dropout is refused: the two passes would differ', async () => {
  const { scoring, gradients } = await scorer({ dropoutRng: new Rng(0) });
  const lossOf = ({ logprobs }: ScoredTokens) => ppoClipLoss({ logprobs, ...ppo }, clip);
  await expect(scoring.accumulateLogprobGradients(examples, lossOf, gradients)).rejects.toThrow(
    'this model trains with dropout, so the log-probabilities that the loss is computed from are not those of the backward pass',
  );
});

test('a loss whose gradient has another length is refused with both', async () => {
  const { scoring, gradients } = await scorer();
  await expect(
    scoring.accumulateLogprobGradients(examples, () => ({ loss: 0, gradient: new Float32Array(1) }), gradients),
  ).rejects.toThrow(`accumulateLogprobGradients: the loss's gradient has 1 entries for ${count} scored tokens`);
});
