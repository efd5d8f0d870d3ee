// Tests that forward_backward and optim_step give the same adapters as our own algorithms' updates of the same batch. Those use
// means, which weights and advantages express as sums here.
import { conversationExamples, grpo, imitate, updatePolicy, type AdvantageTurn } from '@bowyer/algorithms';
import { Rng, withDefaults, type Trajectory } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { LoraModel } from '../src/training/lora-model.js';
import { targetModules } from '../src/training/lora-targets.js';
import { openTrainingBase } from '../src/training/open-training-base.js';
import type { Datum } from '../src/training/trainable.js';
import { adam, randomIds, shape, tinyBase } from './tiny-base.js';

const STEPS = 4;
const settings = { ...adam, learningRate: 3e-3, weightDecay: 0.05, gradClipNorm: 0.7 };
const { learningRate: lr, gradClipNorm: maxGradNorm } = settings;

const device = await openDevice({ device: 'cpu', threads: 1 });
const modelFolder = await tinyBase(device);
const base = await openTrainingBase({ model: modelFolder, device });
afterAll(async () => {
  await base.close();
  await device.close();
});

const lora = () => ({
  r: shape.rank,
  alpha: 32,
  dropout: 0,
  targetModules: targetModules(base.trainableModules, shape),
  seed: shape.seed,
});

/** Opens the policy as a separate model, as a run of this program does. */
async function ownPolicy(): Promise<LanguageModel> {
  const policy = await LanguageModel.load({ dir: modelFolder, device, masksPadding: false, lora: lora() });
  const { beta1, beta2, eps, weightDecay } = settings;
  await policy.createOptimizer({ kind: 'adamw', betas: [beta1, beta2], eps, weightDecay });
  return policy;
}

/** Compares two adapters. @returns the largest difference between their numbers, and the largest change since the start */
async function compare(policy: LanguageModel, trained: LanguageModel) {
  const [ours, theirs] = [await policy.copyParameters(), await trained.copyParameters()];
  const fresh = await base.model.shareBase(lora());
  const start = await fresh.copyParameters();
  await fresh.release();
  let [difference, moved] = [0, 0];
  for (const [name, { data }] of Object.entries(ours))
    data.forEach((x, i) => {
      difference = Math.max(difference, Math.abs(x - theirs[name].data[i]));
      moved = Math.max(moved, Math.abs(x - start[name].data[i]));
    });
  return { difference, moved };
}

async function trainedOn(data: readonly Datum[], name: 'cross_entropy' | 'ppo'): Promise<LanguageModel> {
  const model = await base.model.shareBase(lora());
  const trainable = await LoraModel.open(model, () => undefined);
  for (let step = 0; step < STEPS; step++) {
    await trainable.forwardBackward(data, { name, config: {} }, { forwardOnly: false });
    await trainable.optimStep(settings);
  }
  return model;
}

const rng = new Rng(8);

test('cross_entropy with weights 1 / tokens is the update of bc', async () => {
  const conversations = [12, 30, 7, 30].map((length) => {
    const ids = [...randomIds(rng, length)];
    return { ids, lossMask: ids.map((_, t) => Number(t > 2 && t % 5 > 1)) };
  });
  const policy = await ownPolicy();
  const hooks = {
    keepBest: () => Promise.resolve(),
    checkpoint: () => Promise.resolve(),
    checkpointDue: false,
    stopRequested: false,
    progress: () => undefined,
    log: () => Promise.resolve(),
  };
  await imitate(
    { policy, hooks, state: {}, firstIteration: 0 },
    conversationExamples(conversations),
    {
      epochs: STEPS,
      seed: 1,
      actor: { lr, maxGradNorm, schedule: { kind: 'constant', warmupSteps: 0, finalShare: 1 } },
    },
    { batchSize: conversations.length },
  );
  const count = conversations.flatMap(({ lossMask }) => lossMask.slice(1)).filter((mask) => mask === 1).length;
  const data = conversations.map(({ ids, lossMask }) => ({
    tokens: Int32Array.from(ids.slice(0, -1)),
    targets: Int32Array.from(ids.slice(1)),
    width: 1,
    inputs: { weights: Float32Array.from(lossMask.slice(1), (mask) => mask / count) },
  }));
  const trained = await trainedOn(data, 'cross_entropy');
  const { difference, moved } = await compare(policy, trained);
  expect(moved).toBeGreaterThan(lr);
  expect(difference).toBeLessThan(1e-6);
  await policy.release();
  await trained.release();
});

/** Groups of four answers to one prompt each, as an environment of one turn gives them. */
const answers = [0, 0, 0, 0, 1, 1, 1, 1].map((group, i) => {
  const prompt = [...randomIds(new Rng(group), 34)];
  const ids = [...randomIds(rng, 3 + (i % 3))];
  return { prompt, ids, logprobs: ids.map(() => -3.5 + 0.6 * rng.normal()), advantage: rng.normal(), group };
});

test('ppo with advantages A / tokens is the update of grpo', async () => {
  const turns = answers.map(({ prompt, ids, logprobs, advantage, group }, episode): AdvantageTurn => {
    const utterance = { turn: 0, start: prompt.length, ids, terminated: false, logprobs };
    const trajectory: Trajectory = {
      episode,
      seed: 0,
      group,
      transitions: [
        { observation: '', action: '', reward: 0, nextObservation: '', terminated: true, truncated: false },
      ],
      infos: [{}],
      segments: [{ ids: [...prompt, ...ids], utterances: [utterance] }],
    };
    return { trajectory, turn: 0, advantages: advantage };
  });
  const policy = await ownPolicy();
  await updatePolicy(
    { policy, hooks: { progress: () => undefined } },
    turns,
    { rng: new Rng(1), lr },
    withDefaults(grpo.options, {
      actor: { epochs: STEPS, minibatchSize: turns.length, maxGradNorm },
      loss: { aggregation: 'token_mean' },
      kl: { coefficient: 0 },
    }),
  );
  const count = answers.flatMap(({ ids }) => ids).length;
  const data = answers.map(({ prompt, ids, logprobs, advantage }): Datum => {
    const all = [...prompt, ...ids];
    const after = (values: number[]) => Float32Array.of(...new Array<number>(prompt.length - 1).fill(0), ...values);
    return {
      tokens: Int32Array.from(all.slice(0, -1)),
      targets: Int32Array.from(all.slice(1)),
      width: 1,
      inputs: { logprobs: after(logprobs), advantages: after(ids.map(() => advantage / count)) },
    };
  });
  const trained = await trainedOn(data, 'ppo');
  const { difference, moved } = await compare(policy, trained);
  expect(moved).toBeGreaterThan(lr);
  expect(difference).toBeLessThan(1e-6);
  await policy.release();
  await trained.release();
});
