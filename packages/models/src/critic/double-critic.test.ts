// Tests the built-in critic `line`: the values of its heads, learning, its target network and its checkpoints.
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { DoubleCritic, type CriticBatch } from './double-critic.js';
import { LineEncoder } from './line-encoder.js';
import { RecencyEncoder } from './recency-encoder.js';

const device = await openDevice({ device: 'cpu', threads: 2 });
afterAll(() => device.close());

const animals = ['dog', 'cat', 'owl', 'ant', 'fox'];
const answers = [' Yes.\n', ' No.\n'];
const question = (animal: string) => `is it a ${animal}?`;
const tokenizer = wordLevelTokenizer(['Questions:\n', ...animals.map(question)], { wholeTokens: answers });
const optimizer = { kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 } as const;

const newCritic = (seed = 0, width = 16, outputBias = -5) =>
  DoubleCritic.create({
    device,
    encoder: new LineEncoder(tokenizer, width),
    rng: new Rng(seed),
    outputBias,
    optimizer,
  });

/**
 * Makes dialogues of random length with targets: Q is −1 if the action's question was asked before, else 0; V is minus the number
 * of questions.
 */
function dialogues(count: number, rng: Rng): CriticBatch {
  const observations: string[] = [];
  const actions: string[] = [];
  const [q, v] = [new Float32Array(count), new Float32Array(count)];
  for (let i = 0; i < count; i++) {
    const asked = Array.from({ length: rng.integer(0, 4) }, () => rng.choice(animals));
    const next = rng.choice(animals);
    observations.push('Questions:\n' + asked.map((animal) => question(animal) + rng.choice(answers)).join(''));
    actions.push(question(next));
    q[i] = asked.includes(next) ? -1 : 0;
    v[i] = -asked.length;
  }
  return { observations, actions, q1Targets: q, q2Targets: q, v1Targets: v, v2Targets: v };
}

test('it has the heads and widths of the study: about 0.08 M weights at width 64', async () => {
  const critic = await newCritic(0, 64);
  const heads = (inputs: number) => (inputs + 1) * 64 + 65 * 64 + 65;
  const words = tokenizer.vocabSize * 64;
  const phrase = (65 + 65) * 64;
  const line = (129 + 65) * 64;
  expect(critic.size).toBe(words + phrase + line + 2 * heads(4 * 64 + 1) + 2 * heads(65));
});

test.each(['line', 'recency'])(
  '%s: a turn has the value that it has alone, however many are asked for at once',
  async (kind) => {
    const encoder = kind === 'line' ? new LineEncoder(tokenizer, 8) : new RecencyEncoder(tokenizer, 8);
    const critic = await DoubleCritic.create({ device, encoder, rng: new Rng(0), outputBias: 0, optimizer });
    // Each of the observations has a line that occurs in no other observation, so that the observations do not fit into one
    // batch.
    const observations = Array.from(
      { length: 5000 },
      (_, i) => `${` ${animals[i % 5]}`.repeat(1 + (Math.floor(i / 5) % 50))} ${i}\n`,
    );
    const actions = observations.map((_, i) => question(animals[i % 3]));
    const { q1, v2 } = await critic.evaluate(observations, actions, 'online');
    for (const i of [0, 2047, 3500, 4999]) {
      const alone = await critic.evaluate([observations[i]], [actions[i]], 'online');
      expect(q1[i]).toBeCloseTo(alone.q1[0], 5);
      expect(v2[i]).toBeCloseTo(alone.v2[0], 5);
    }
    await critic.release();
  },
);

test('it starts at the output bias and learns "was it asked before" and the number of turns', async () => {
  const critic = await newCritic(0, 64);
  const batch = dialogues(200, new Rng(1));
  const first = await critic.accumulateGradients(batch);
  const meanOf = (values: Float32Array) => values.reduce((sum, x) => sum + x, 0) / values.length;
  expect(Math.abs(meanOf(first.v1) + 5)).toBeLessThan(1);
  let last = first;
  for (let step = 0; step < 300; step++) {
    await critic.optimizer.step({ lr: 3e-3, maxGradNorm: 10 });
    last = await critic.accumulateGradients(batch);
  }
  for (const head of ['q1', 'q2', 'v1', 'v2'] as const) expect(last[`${head}Loss`]).toBeLessThan(0.01);
  // The critic was not trained on these dialogues, so that its values show whether it has learnt the rule.
  const fresh = dialogues(100, new Rng(2));
  const { q1, v2 } = await critic.evaluate(fresh.observations, fresh.actions, 'online');
  const meanError = (values: Float32Array, targets: Float32Array) =>
    meanOf(values.map((x, i) => Math.abs(x - targets[i])));
  expect(meanError(v2, fresh.v2Targets)).toBeLessThan(0.2);
  expect(meanError(q1, fresh.q1Targets)).toBeLessThan(0.3);
});

test('losses are means over the batch, and gradients of two calls add up', async () => {
  const critic = await newCritic();
  const batch = dialogues(9, new Rng(3)); // any padding of the batch must not count
  const { q1, q1Loss, v2, v2Loss } = await critic.accumulateGradients(batch);
  const meanSquare = (values: Float32Array, targets: Float32Array) =>
    values.reduce((sum, x, i) => sum + (x - targets[i]) ** 2, 0) / values.length;
  expect(q1Loss).toBeCloseTo(meanSquare(q1, batch.q1Targets), 4);
  expect(v2Loss).toBeCloseTo(meanSquare(v2, batch.v2Targets), 4);
  const { gradientNorm: once } = await critic.optimizer.step({ lr: 0, maxGradNorm: 1 });
  await critic.accumulateGradients(batch);
  await critic.accumulateGradients(batch);
  const { gradientNorm: twice } = await critic.optimizer.step({ lr: 0, maxGradNorm: 1 });
  expect(twice / once).toBeCloseTo(2, 5);
});

test('a weight per head and row multiplies its squared error, in the loss and in the gradient', async () => {
  const batch = dialogues(5, new Rng(3));
  const ones = new Float32Array(5).fill(1);
  const gradients = async (weights?: CriticBatch['weights']) => {
    const critic = await newCritic();
    const losses = await critic.accumulateGradients({ ...batch, weights });
    return { losses, gradients: await device.read(critic.optimizer.gradients) };
  };
  const plain = await gradients();
  expect(await gradients({ q1: ones, q2: ones, v1: ones, v2: ones })).toEqual(plain); // to the bit
  // Only row 2 of the head V1 has a weight, which is 2: the loss is 2 (V − y)² / 5, and no other head has a gradient.
  const none = new Float32Array(5);
  const { losses, gradients: found } = await gradients({
    q1: none,
    q2: none,
    v2: none,
    v1: Float32Array.of(0, 0, 2, 0, 0),
  });
  expect(losses.v1Loss).toBeCloseTo((2 * (losses.v1[2] - batch.v1Targets[2]) ** 2) / 5, 4);
  expect([losses.q1Loss, losses.q2Loss, losses.v2Loss]).toEqual([0, 0, 0]);
  for (const head of ['q1', 'q2', 'v2']) expect(found[`${head}.4.bias`].data[0]).toBeCloseTo(0, 10);
  expect(found['v1.4.bias'].data[0]).toBeCloseTo((2 * 2 * (losses.v1[2] - batch.v1Targets[2])) / 5, 4); // d/dV of the loss
  await expect(gradients({ q2: new Float32Array(4) })).rejects.toThrow(
    'DoubleCritic.accumulateGradients: weights.q2 has 4 entries, observations has 5; both must be [batch]',
  );
});

test('without actions there are values of states alone', async () => {
  const critic = await newCritic();
  const { observations, actions } = dialogues(30, new Rng(6));
  const together = await critic.evaluate(observations, actions, 'online');
  const valuesOnly = await critic.evaluate(observations, null, 'online');
  expect(valuesOnly.q1).toHaveLength(0);
  valuesOnly.v1.forEach((v, i) => expect(v).toBeCloseTo(together.v1[i], 5));
  expect((await critic.evaluate([], [], 'online')).q1).toHaveLength(0);
});

test('the gradient agrees with central differences', async () => {
  const critic = await newCritic(4, 8, 0);
  const batch = dialogues(12, new Rng(5));
  const lossOf = async () => {
    const { q1Loss, q2Loss, v1Loss, v2Loss } = await critic.accumulateGradients(batch);
    return q1Loss + q2Loss + v1Loss + v2Loss;
  };
  await lossOf();
  const analytic = await device.read(critic.optimizer.gradients);
  const start = await device.read(critic.parameters);
  const step = 1e-3; // a step that is small enough to pass few kinks of the ReLUs
  for (const name of [
    'words.weight',
    'line.0.weight',
    'line.2.bias',
    'phrase.0.weight',
    'q1.0.weight',
    'v2.2.weight',
  ]) {
    const gradient = analytic[name].data as Float32Array;
    // The derivative is checked at the parameter with the largest gradient, whose numeric estimate has the most correct digits in
    // float32.
    const at = gradient.reduce((best, x, i) => (Math.abs(x) > Math.abs(gradient[best]) ? i : best), 0);
    const lossAt = async (delta: number) => {
      const data = Float32Array.from(start[name].data as Float32Array);
      data[at] += delta;
      await device.write(critic.parameters, { [name]: { data } });
      return lossOf();
    };
    const difference = ((await lossAt(step)) - (await lossAt(-step))) / (2 * step);
    await device.write(critic.parameters, { [name]: { data: Float32Array.from(start[name].data as Float32Array) } });
    expect(Math.abs(difference / gradient[at] - 1)).toBeLessThan(0.02);
  }
});

test('after 50 Polyak steps with τ = 0.1 the difference to the online network is 0.9^50 = 0.005154 of what it was', async () => {
  const critic = await newCritic();
  const { observations, actions } = dialogues(5, new Rng(7));
  const values = (which: 'online' | 'target') => critic.evaluate(observations, actions, which);
  expect(await values('target')).toEqual(await values('online')); // an exact copy at first
  const start = await device.read(critic.parameters);
  const zeros = Object.fromEntries(
    Object.entries(start).map(([name, { data }]) => [name, { data: new Float32Array(data.length) }]),
  );
  await device.write(critic.parameters, zeros);
  expect((await values('target')).q1).not.toEqual((await values('online')).q1);
  for (let step = 0; step < 50; step++) await critic.polyak(0.1);
  const target = await device.read(critic.targetParameters);
  const bias = (tensors: typeof start) => tensors['q1.4.bias'].data[0] as number;
  expect(bias(target) / bias(start)).toBeCloseTo(0.005154, 6);
  await critic.polyak(1);
  expect(await values('target')).toEqual(await values('online'));
});

test('saved and restored, training continues bit-equal', async () => {
  const dir = newFolder();
  const batches = Array.from({ length: 6 }, (_, i) => dialogues(20, new Rng(i)));
  const train = async (critic: DoubleCritic, from: number, to: number) => {
    for (const batch of batches.slice(from, to)) {
      await critic.accumulateGradients(batch);
      await critic.optimizer.step({ lr: 3e-3, maxGradNorm: 1 });
      await critic.polyak(0.1);
    }
  };
  const all = (critic: DoubleCritic) =>
    Promise.all([device.read(critic.parameters), device.read(critic.targetParameters)]);
  const whole = await newCritic(1);
  await train(whole, 0, 6);

  const first = await newCritic(1);
  await train(first, 0, 3);
  await first.save(dir);
  const second = await newCritic(99);
  await second.restore(dir);
  await train(second, 3, 6);
  expect(await all(second)).toEqual(await all(whole));
});

test('copied weights are restored', async () => {
  const critic = await newCritic();
  const { observations, actions } = dialogues(5, new Rng(7));
  const [kept, before] = [await critic.copyParameters(), await critic.evaluate(observations, actions, 'online')];
  await critic.accumulateGradients(dialogues(5, new Rng(8)));
  await critic.optimizer.step({ lr: 0.1, maxGradNorm: 1 });
  expect(await critic.evaluate(observations, actions, 'online')).not.toEqual(before);
  await critic.restoreParameters(kept);
  expect(await critic.evaluate(observations, actions, 'online')).toEqual(before);
});

test('lists of different lengths are refused', async () => {
  const critic = await newCritic();
  await expect(critic.evaluate(['a', 'b'], ['x'], 'online')).rejects.toThrow(
    'DoubleCritic.evaluate: actions has 1 entries, observations has 2; both must be [batch]',
  );
  const batch = { ...dialogues(3, new Rng(0)), v1Targets: new Float32Array(2) };
  await expect(critic.accumulateGradients(batch)).rejects.toThrow(
    'DoubleCritic.accumulateGradients: v1Targets has 2 entries, observations has 3; both must be [batch]',
  );
});
