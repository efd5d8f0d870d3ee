// Tests the policy's gradient on utterances of two tokens. Sums over all four utterances give exact expectations.
import { Rng, tokenMaskOf, type SegmentUtterance, type Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel, type TokenExample } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { accumulateActor, type Actor, type ActorLossOptions } from './actor.js';

const tokenizer = wordLevelTokenizer(['go\n', 'x', 'y']);
const idOf = (word: string) => tokenizer.encode(word)[0];
const prompt = tokenizer.encode('go\n');
const maskedTokenIds = Array.from({ length: tokenizer.vocabSize }, (_, id) => id).filter(
  (id) => ![idOf('x'), idOf('y')].includes(id),
);
const utterances = ['xx', 'xy', 'yx', 'yy'].map((text) => [...text].map(idOf));
const advantages = [2, -1, 0.5, 1.5];

const device = await openDevice({ device: 'cpu', threads: 1 });
const config = { model_type: 'gpt2', n_layer: 1, n_head: 1, n_embd: 4, n_positions: 8, initializer_range: 0.8 };
const policy = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(1) });
await policy.createOptimizer({ kind: 'sgd', momentum: 0, nesterov: false, weightDecay: 0 });
/** The weights of the policy, and of another policy that sampled. */
const present = await parameters();
const noise = new Rng(2);
const older = present.map((value) => value + 0.2 * noise.normal());
afterAll(async () => {
  await policy.release();
  await device.close();
});

async function parameters(): Promise<Float32Array> {
  const tensors = await policy.copyParameters();
  return Float32Array.from(
    Object.keys(tensors)
      .sort()
      .flatMap((name) => [...tensors[name].data]),
  );
}

async function set(values: ArrayLike<number>): Promise<void> {
  const tensors = await policy.copyParameters();
  let next = 0;
  for (const name of Object.keys(tensors).sort())
    for (let i = 0; i < tensors[name].data.length; i++) tensors[name].data[i] = values[next++];
  await policy.restoreParameters(tensors);
}

async function logprobs(): Promise<number[][]> {
  const examples = utterances.map((ids): TokenExample => {
    const context = [...prompt, ids[0]];
    const targets = context.map((_, t) => (t < prompt.length - 1 ? 0 : ids[t - prompt.length + 1]));
    const weights = context.map((_, t) => (t < prompt.length - 1 ? 0 : 1));
    return { ids: Int32Array.from(context), targets: Int32Array.from(targets), weights: Float32Array.from(weights) };
  });
  return (await policy.logprobs(examples)).map((row) => [...row.slice(prompt.length - 1)]);
}
const sum = (xs: readonly number[]) => xs.reduce((total, x) => total + x, 0);
const chances = async () => (await logprobs()).map((own) => Math.exp(sum(own)));

/** Computes the slope of an exact function of the policy along a direction, by central differences. */
async function slope(f: () => Promise<number>, direction: Float32Array): Promise<number> {
  const step = 1e-2;
  const at = async (size: number) => {
    await set(present.map((value, i) => value + size * direction[i]));
    return f();
  };
  const difference = (await at(step)) - (await at(-step));
  await set(present);
  return difference / (2 * step);
}

const judged = (index: number, sampling: number[] = [], length = 2) => {
  const ids = utterances[index].slice(0, length);
  const utterance: SegmentUtterance = { turn: 0, start: prompt.length, ids, terminated: false, logprobs: sampling };
  const segments = [{ ids: [...prompt, ...ids], utterances: [utterance] }];
  const trajectory: Trajectory = { episode: 0, seed: 0, transitions: [], infos: [], segments };
  return { trajectory, turn: 0, advantage: advantages[index] };
};

/** Computes the gradient of one utterance. @param sampling its log-probabilities under the policy that sampled it */
async function gradientOf(
  index: number,
  sampling: number[],
  options: ActorLossOptions,
  { reference = null, baseline = null }: Partial<Actor> = {},
): Promise<Float32Array> {
  await accumulateActor({ policy, reference, baseline }, [judged(index, sampling)], options);
  await policy.optimizer.step({ lr: 1, maxGradNorm: 1e9 });
  const after = await parameters();
  await set(present);
  return present.map((value, i) => value - after[i]);
}

const plain: ActorLossOptions = {
  actor: { scoreTerminator: true },
  replay: { importanceClip: null },
  kl: { coefficient: 0 },
};
const along = (gradient: Float32Array, direction: Float32Array) =>
  gradient.reduce((total, x, i) => total + x * direction[i], 0);
const direction = () => {
  const rng = new Rng(3);
  return present.map(() => rng.normal() / Math.sqrt(present.length));
};

test('REINFORCE: the gradient is that of −A Σ log π', async () => {
  const gradient = await gradientOf(0, [], plain);
  const exact = await slope(async () => -advantages[0] * sum((await logprobs())[0]), direction());
  expect(along(gradient, direction())).toBeCloseTo(exact, 3);
});

test('a token is learned as it was chosen: among all of them as in free play, without an alternative not at all', async () => {
  const normWith = async (allowedIds?: number[][]) => {
    const utterance = judged(1);
    utterance.trajectory.segments[0].utterances[0].tokenMasks = allowedIds?.map(tokenMaskOf);
    await accumulateActor({ policy, reference: null, baseline: null }, [utterance], plain);
    return (await policy.optimizer.step({ lr: 0, maxGradNorm: 1e9 })).gradientNorm;
  };
  const both = ['x', 'y'].map(idOf);
  const inFreePlay = await normWith();
  expect(inFreePlay).toBeGreaterThan(0.1);
  expect(await normWith([both, both])).toBeCloseTo(inFreePlay, 4);
  expect(await normWith(utterances[1].map((id) => [id]))).toBeLessThan(1e-30);
});

test('importance weights: utterances of an older policy give the gradient of the present one’s expected advantage', async () => {
  await set(older);
  const [mu, sampling] = [await chances(), await logprobs()];
  await set(present);
  const mean = async (options: ActorLossOptions) => {
    let total = 0;
    for (const [i, chance] of mu.entries())
      total += chance * along(await gradientOf(i, sampling[i], options), direction());
    return total;
  };
  const exact = await slope(
    async () => -sum((await chances()).map((chance, i) => chance * advantages[i])),
    direction(),
  );
  expect(await mean({ ...plain, replay: { importanceClip: 1e9 } })).toBeCloseTo(exact, 3);
  expect(Math.abs((await mean(plain)) - exact)).toBeGreaterThan(0.01);
});

test('kl_coefficient adds the gradient of β KL(π ‖ π₀)', async () => {
  await set(older);
  const [reference, start] = [await policy.freeze(), await logprobs()];
  await set(present);
  const pi = await chances();
  const mean = async (coefficient: number) => {
    let total = 0;
    for (const [i, chance] of pi.entries())
      total +=
        chance *
        along(
          await gradientOf(i, [], { ...plain, kl: { coefficient } }, coefficient > 0 ? { reference } : {}),
          direction(),
        );
    return total;
  };
  const kl = async () => {
    const now = await logprobs();
    return sum(now.map((own, i) => Math.exp(sum(own)) * (sum(own) - sum(start[i]))));
  };
  expect((await mean(0.7)) - (await mean(0))).toBeCloseTo(0.7 * (await slope(kl, direction())), 3);
  await reference.release();
});

test('use_baseline: the mean gradient is the same, its variance falls', async () => {
  const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const baseline = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(4) });
  await baseline.createOptimizer(adam);
  await baseline.createValueHead(adam);
  const pi = await chances();

  // The policy learns from utterances that it samples itself.
  const rng = new Rng(5);
  const drawn = () => {
    let rest = rng.uniform();
    return Math.max(
      0,
      pi.findIndex((chance) => (rest -= chance) < 0),
    );
  };
  const losses: number[] = [];
  for (let step = 0; step < 60; step++) {
    const batch = Array.from({ length: 32 }, () => judged(drawn()));
    const metrics = await accumulateActor({ policy, reference: null, baseline }, batch, plain);
    losses.push(metrics['losses/baseline']);
    await policy.optimizer.step({ lr: 0, maxGradNorm: 1 });
    await baseline.optimizer.step({ lr: 0.02, maxGradNorm: 1 });
    await baseline.valueHead.optimizer.step({ lr: 0.05, maxGradNorm: 1 });
  }
  expect(losses.at(-1)).toBeLessThan(0.7 * losses[0]);

  const moments = async (actor: Partial<Actor>) => {
    const gradients: Float32Array[] = [];
    for (const i of pi.keys()) gradients.push(await gradientOf(i, [], plain, actor));
    const mean = present.map((_, p) => sum(pi.map((chance, i) => chance * gradients[i][p])));
    const variance = sum(pi.map((chance, i) => chance * sum([...gradients[i].map((x, p) => (x - mean[p]) ** 2)])));
    return { mean, variance };
  };
  const [without, learnt] = [await moments({}), await moments({ baseline })];
  without.mean.forEach((x, p) => expect(learnt.mean[p]).toBeCloseTo(x, 4));
  expect(learnt.variance).toBeLessThan(0.7 * without.variance);
  await baseline.release();
});

test('use_baseline, by hand: squared errors over the tokens, log-probabilities summed over tokens and averaged over utterances', async () => {
  const adam = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;
  const baseline = await LanguageModel.create({ device, tokenizer, maskedTokenIds, config, rng: new Rng(4) });
  await baseline.createValueHead(adam); // V = 0
  await baseline.createOptimizer(adam);
  const both = [judged(0, [], 1), judged(1)]; // 'x' with A = 2, and 'xy' with A = -1
  const metrics = await accumulateActor({ policy, reference: null, baseline }, both, plain);
  await policy.optimizer.step({ lr: 0, maxGradNorm: 1 });
  expect(metrics['losses/baseline']).toBeCloseTo((4 + 1 + 1) / 3, 6); // ArCHer's branch counts the padding of 'x' too: / 4
  const [x, y] = (await logprobs())[1];
  expect(metrics['losses/policy']).toBeCloseTo(-(2 * x - (x + y)) / 2, 5);
  expect(metrics['actor/residual_advantages_mean']).toBeCloseTo(0, 6);
  await baseline.release();
});
