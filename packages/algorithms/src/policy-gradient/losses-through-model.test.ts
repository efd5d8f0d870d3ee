// Tests the gradient of every loss of log-probabilities through a real model: along the gradient, the loss increases as central
// differences predict.
import {
  dpoLoss,
  entropyBonus,
  gspoLoss,
  klPenalty,
  ppoClipLoss,
  Rng,
  type ScoredTokens,
  type TokenLoss,
} from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type TokenExample } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());

const tokenizer = wordLevelTokenizer(['red green blue yellow black white']);
const rng = new Rng(5);
/** Four examples of seven tokens, of which five are scored. */
const examples: TokenExample[] = Array.from({ length: 4 }, () => ({
  ids: Int32Array.from({ length: 7 }, () => rng.integer(2, tokenizer.vocabSize - 1)),
  targets: Int32Array.from({ length: 7 }, () => rng.integer(2, tokenizer.vocabSize - 1)),
  weights: Float32Array.of(0, 0, 1, 1, 1, 1, 1),
}));
const N = 20;
const weights = new Float32Array(N).fill(1 / N);
const numbers = (scale: number) => Float32Array.from({ length: N }, () => scale * rng.normal());
const advantages = numbers(1);
/** Log-probabilities of policies close to the model, about −log(vocabulary). */
const near = numbers(0.1).map((noise) => noise - Math.log(tokenizer.vocabSize));
const clip = { clipLow: 0.2, clipHigh: 0.2, dualClip: null };

const losses: Record<string, (scored: ScoredTokens) => TokenLoss> = {
  'clipped surrogate of PPO': ({ logprobs }) => ppoClipLoss({ logprobs, oldLogprobs: near, advantages, weights }, clip),
  'clipped surrogate of GSPO': ({ logprobs }) =>
    gspoLoss(
      {
        logprobs,
        oldLogprobs: near,
        advantages: advantages.map((_, t) => advantages[t - (t % 5)]),
        weights,
        lengths: [5, 5, 5, 5],
      },
      clip,
    ),
  'KL penalty k2': ({ logprobs }) => klPenalty({ logprobs, refLogprobs: near, weights }, 'k2'),
  'KL penalty k3': ({ logprobs }) => klPenalty({ logprobs, refLogprobs: near, weights }, 'k3'),
  DPO: ({ logprobs }) =>
    dpoLoss({ logprobs, refLogprobs: near, lengths: [5, 5, 5, 5] }, { beta: 0.5, nllCoefficient: 0.2 }),
  'entropy bonus': ({ entropies }) => entropyBonus(entropies, weights),
};

test.each(Object.keys(losses))('%s', async (name) => {
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 16 };
  const model = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(1) });
  await model.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
  // Where logits are close to zero, the gradient of the entropy vanishes: the model is trained for a few steps first.
  for (let step = 0; step < 5; step++) {
    await model.accumulateGradients(examples);
    await model.optimizer.step({ lr: 0.02, maxGradNorm: 1e9 });
  }
  const here = await model.copyParameters();
  const lossHere = async () =>
    (await model.accumulateLogprobGradients(examples, losses[name], { entropies: true })).loss;

  // Plain gradient descent with the rate 1 changes the weights by the gradient.
  await lossHere();
  await model.optimizer.step({ lr: 1, maxGradNorm: 1e9 });
  const there = await model.copyParameters();
  const gradient = Object.fromEntries(
    Object.entries(here).map(([key, { data }]) => [key, data.map((x, i) => x - there[key].data[i])]),
  );
  const norm = Math.sqrt(
    Object.values(gradient).reduce((sum, part) => sum + part.reduce((own, x) => own + x * x, 0), 0),
  );
  expect(norm).toBeGreaterThan(1e-4);

  const step = 0.02;
  const lossAt = async (distance: number) => {
    const moved = Object.entries(here).map(([key, { shape, data }]) => [
      key,
      { shape, data: data.map((x, i) => x + (distance / norm) * gradient[key][i]) },
    ]);
    await model.restoreParameters(Object.fromEntries(moved) as typeof here);
    const loss = await lossHere();
    await model.optimizer.step({ lr: 1e-30, maxGradNorm: 1e9 }); // this clears the gradients
    return loss;
  };
  const slope = ((await lossAt(step)) - (await lossAt(-step))) / (2 * step);
  expect(Math.abs(slope - norm)).toBeLessThan(0.02 * norm);
  await model.release();
});
