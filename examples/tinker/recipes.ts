// Three recipes with Tinker's protocol, each with the same careless base model and on all sums of two digits: supervised
// learning, reinforcement learning with groups, and learning from preferences (DPO, whose gradient the client computes).
//   node --conditions=source --import tsx examples/tinker/recipes.ts [SEEDS]
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusteredMean, gainVerdict, mean, Rng } from '@bowyer/core';
import { withLocalServer } from './local-server.js';
import { answer, anyAnswer, makeSmallBase, question } from './small-base.js';
import { TinkerModel, type Example } from './tinker-model.js';

const seeds = Number(process.argv[2] ?? '3');
const folder = await mkdtemp(join(tmpdir(), 'tinker-recipes-'));
const tokenizer = await makeSmallBase(join(folder, 'base'));
const [stop] = tokenizer.encode('\n');
const digits = Array.from({ length: 10 }, (_, digit) => digit);
const sums = digits.flatMap((a) => digits.map((b) => ({ a, b })));
const promptOf = ({ a, b }: (typeof sums)[number]) => tokenizer.encode(question(a, b));
const written = (text: string) => [...tokenizer.encode(text), stop];
const isRight = ({ a, b }: (typeof sums)[number], tokens: readonly number[]) =>
  tokens.join() === written(answer(a, b)).join();

/** Returns the share of right answers among eight samples, for each sum. */
async function accuracy(model: TinkerModel): Promise<number[]> {
  const samples = await model.sample(sums.map(promptOf), 8, stop);
  return sums.map((sum, i) => mean(samples[i].map(({ tokens }) => Number(isRight(sum, tokens)))));
}

async function supervised(model: TinkerModel, rng: Rng): Promise<void> {
  for (let step = 0; step < 100; step++) {
    const batch = Array.from({ length: 32 }, () => rng.choice(sums)).map((sum): Example => {
      const right = written(answer(sum.a, sum.b));
      return { prompt: promptOf(sum), answer: right, inputs: { weights: right.map(() => 1 / 32) } };
    });
    await model.forwardBackward(batch, 'cross_entropy');
    await model.step(1e-2);
  }
}

/** Learns from groups of samples. An advantage is the reward minus the mean reward of the group. */
async function groups(model: TinkerModel, rng: Rng): Promise<void> {
  for (let step = 0; step < 60; step++) {
    const asked = Array.from({ length: 16 }, () => rng.choice(sums));
    const sampled = await model.sample(asked.map(promptOf), 8, stop);
    const batch = asked.flatMap((sum, i) => {
      const rewards = sampled[i].map(({ tokens }) => Number(isRight(sum, tokens)));
      return sampled[i].map(({ tokens, logprobs }, k): Example => {
        const advantage = (rewards[k] - mean(rewards)) / 32;
        return { prompt: promptOf(sum), answer: tokens, inputs: { logprobs, advantages: tokens.map(() => advantage) } };
      });
    });
    await model.forwardBackward(batch, 'importance_sampling');
    await model.step(1e-2);
  }
}

/**
 * Learns from pairs by DPO with β = 0.5: the gradient of the loss −log σ(β (Δchosen − Δrejected)) is sent to the server as the
 * weight −∂loss/∂log p of each answer.
 */
async function preferences(model: TinkerModel, rng: Rng): Promise<void> {
  const BETA = 0.5;
  const total = (logprobs: readonly number[]) => logprobs.reduce((sum, logprob) => sum + logprob, 0);
  const pairOf = (sum: (typeof sums)[number], weight: number): [Example, Example] => {
    let other = anyAnswer(rng);
    while (other === answer(sum.a, sum.b)) other = anyAnswer(rng);
    const example = (text: string, sign: number): Example => {
      const ids = written(text);
      return { prompt: promptOf(sum), answer: ids, inputs: { weights: ids.map(() => sign * weight) } };
    };
    return [example(answer(sum.a, sum.b), 1), example(other, -1)];
  };
  // The reference is the model before its first step.
  const pairs = Array.from({ length: 100 * 16 }, () => pairOf(rng.choice(sums), 1));
  const reference: number[][] = [];
  for (let first = 0; first < pairs.length; first += 400)
    reference.push(...(await model.forward(pairs.slice(first, first + 400).flat())));
  for (let step = 0; step < 100; step++) {
    const chosen = pairs.slice(16 * step, 16 * (step + 1));
    const now = await model.forward(chosen.flat());
    const weighted = chosen.flatMap((pair, i) => {
      const gain = (k: 0 | 1) => total(now[2 * i + k]) - total(reference[2 * (16 * step + i) + k]);
      const weight = BETA / (1 + Math.exp(BETA * (gain(0) - gain(1)))) / 16;
      return pair.map(({ inputs, ...example }) => ({
        ...example,
        inputs: { weights: inputs.weights.map((sign) => sign * weight) },
      }));
    });
    await model.forwardBackward(weighted, 'cross_entropy');
    await model.step(2e-3);
  }
}

await withLocalServer('sums', folder, async (client) => {
  for (const recipe of [supervised, groups, preferences])
    for (let seed = 1; seed <= seeds; seed++) {
      const model = await TinkerModel.create(client, 'sums', seed);
      const before = await accuracy(model);
      const from = process.cpuUsage();
      await recipe(model, Rng.forPurpose(seed, recipe.name));
      const { user, system } = process.cpuUsage(from);
      const after = await accuracy(model);
      await model.close();
      const gain = clusteredMean(before.map((share, i) => [after[i] - share]));
      console.log(
        `${recipe.name}, seed ${seed}: ${mean(before).toFixed(3)} → ${mean(after).toFixed(3)} right, ${gainVerdict(gain)} ` +
          `(95 %: ${gain.low.toFixed(3)} … ${gain.high.toFixed(3)}), ${((user + system) / 1e6).toFixed(0)} CPU s`,
      );
    }
});
