import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { jest } from '@jest/globals';
import { LanguageModel } from '@bowyer/models';
import { newFolder } from '@bowyer/testing';
import { adam, randomIds, shape, tinyBase } from '../../test/tiny-base.js';
import { LoraModel } from './lora-model.js';
import { targetModules } from './lora-targets.js';
import { openTrainingBase } from './open-training-base.js';
import type { Datum, LoraShape, LossRequest, TrainableModel } from './trainable.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
const folder = newFolder();
const modelFolder = await tinyBase(device);
const adapterBank = { places: 2, rank: 4, targetModules: 'all', dirs: [] } as const;
const base = await openTrainingBase({ model: modelFolder, device, adapterBank });
afterAll(async () => {});

const open: TrainableModel[] = [];
afterEach(() => Promise.all(open.splice(0).map((model) => model.close())));
async function created(of: LoraShape): Promise<LoraModel> {
  const model = (await base.create(of)) as LoraModel;
  open.push(model);
  return model;
}

const rng = new Rng(1);
const numbers = (count: number, mean: number, deviation: number) =>
  Float32Array.from({ length: count }, () => mean + deviation * rng.normal());
const prompt = randomIds(rng, 40);

/**
 * Training data: four answers to one prompt, and two short sequences. Prompt tokens have weight 0, and in `rollouts` also the
 * advantage 0 and the sampler's log-probability 0.
 */
const data: Datum[] = [40, 40, 40, 40, 5, 2].map((length, d) => {
  const tokens = Int32Array.of(...(length === 40 ? prompt : randomIds(rng, length)), ...randomIds(rng, 3 + d));
  const after = (values: Float32Array) => values.map((value, t) => (t < length - 1 ? 0 : value));
  return {
    tokens,
    targets: Int32Array.of(...tokens.slice(1), 5),
    width: 1,
    inputs: { weights: after(numbers(tokens.length, 1, 0.5)) },
  };
});
const rollouts: Datum[] = data.map(({ inputs: { weights }, ...datum }) => ({
  ...datum,
  inputs: {
    logprobs: weights.map((w) => (w === 0 ? 0 : -4 + 0.3 * rng.normal())),
    advantages: weights.map((w) => (w === 0 ? 0 : rng.normal())),
  },
}));
const crossEntropy: LossRequest = { name: 'cross_entropy', config: {} };

const step = (model: TrainableModel, given = data, request = crossEntropy) =>
  model.forwardBackward(given, request, { forwardOnly: false });

test('other requests run between the check of the data, the scores and the loss', async () => {
  const model = await created(shape);
  let turns = 0;
  const count = () => {
    turns++;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const scored = jest.spyOn(LanguageModel.prototype, 'targetLogprobs').mockImplementation((examples) => {
    expect(turns).toBeGreaterThan(0);
    turns = 0;
    return Promise.resolve(examples.map(({ targets }) => new Float32Array(targets.length)));
  });
  await model.forwardBackward(data, crossEntropy, { forwardOnly: true });
  expect(scored).toHaveBeenCalledTimes(1);
  expect(turns).toBeGreaterThan(0);
  clearImmediate(immediate);
  scored.mockRestore();
});

const bytesIn = (dir: string) => readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
const weightsIn = (dir: string) => readFile(join(dir, 'adapter_model.safetensors'));

const requests: [LossRequest, Datum[]][] = [
  [crossEntropy, data],
  [{ name: 'importance_sampling', config: {} }, rollouts],
  [{ name: 'ppo', config: { clip_low_threshold: 0.5, clip_high_threshold: 2.5 } }, rollouts],
  [{ name: 'dro', config: { beta: 0.2 } }, rollouts],
  [
    crossEntropy,
    data.map(({ tokens }) => ({
      tokens,
      targets: randomIds(rng, 2 * tokens.length),
      width: 2,
      inputs: { weights: numbers(2 * tokens.length, 0, 1) },
    })),
  ],
];
test.each(requests)('%j: the gradient agrees with central differences of the loss', async (request, given) => {
  const model = await base.model.shareBase({ r: 4, alpha: 32, dropout: 0, targetModules: 'all-linear', seed: 3 });
  const trainable = await LoraModel.open(model, () => undefined);
  const start = await model.copyParameters();
  for (const { data: values } of Object.values(start)) values.forEach((_, i) => (values[i] += 0.02 * rng.normal()));
  await model.restoreParameters(start);
  await step(trainable, given, request);
  const gradients = await model.copyGradients();
  const lossAt = async (along: Record<string, Float32Array>, distance: number) => {
    const moved = Object.entries(start).map(([name, { shape: dims, data: values }]) => {
      return [name, { shape: dims, data: values.map((x, i) => x + distance * along[name][i]) }] as const;
    });
    await model.restoreParameters(Object.fromEntries(moved));
    return (await trainable.forwardBackward(given, request, { forwardOnly: true })).loss;
  };
  for (let direction = 0; direction < 3; direction++) {
    const along = Object.fromEntries(
      Object.entries(start).map(([name, { data: values }]) => [name, numbers(values.length, 0, 1)]),
    );
    let slope = 0;
    for (const [name, { data: values }] of Object.entries(gradients))
      values.forEach((x, i) => (slope += x * along[name][i]));
    const difference = ((await lossAt(along, 2e-4)) - (await lossAt(along, -2e-4))) / 4e-4;
    expect(Math.abs(difference / slope - 1)).toBeLessThan(0.02);
  }
});

test('log p is that of every target, prompts included, and the forward pass alone gives the same without a gradient', async () => {
  const model = await created(shape);
  const trained = await step(model);
  await model.optimStep({ ...adam, learningRate: 0 });
  const read = await model.forwardBackward(data, crossEntropy, { forwardOnly: true });
  read.logprobs.forEach((row, d) => {
    expect(row).toHaveLength(data[d].tokens.length);
    row.forEach((logprob, t) => {
      expect(logprob).toBeLessThan(0);
      expect(trained.logprobs[d][t]).toBeCloseTo(logprob, 4);
    });
  });
  expect(read.loss).toBeCloseTo(trained.loss, 3);
  expect(await model.optimStep(adam)).toEqual({ 'grad_norm:mean': 0 });
});

test('gradients of several calls add up until the step, which has the settings that it is given', async () => {
  const [whole, parts] = [await created(shape), await created(shape)];
  for (const settings of [adam, { ...adam, beta1: 0.5, beta2: 0.9, eps: 1e-6, weightDecay: 0.1, gradClipNorm: 0.5 }]) {
    await step(whole);
    await step(parts, data.slice(0, 2));
    await step(parts, data.slice(2));
    const [first, second] = [await whole.optimStep(settings), await parts.optimStep(settings)];
    expect(second['grad_norm:mean'] / first['grad_norm:mean']).toBeCloseTo(1, 4);
  }
  const [one, other] = [await step(whole), await step(parts)];
  expect(other.loss / one.loss).toBeCloseTo(1, 4);
});

test('models over one base learn apart from each other, and the base stays what it is', async () => {
  const [first, second] = [await created(shape), await created({ ...shape, rank: 2, trainMlp: false })];
  const before = (await step(second)).loss;
  await Promise.all([step(first), step(second)]);
  await first.optimStep(adam);
  expect((await first.forwardBackward(data, crossEntropy, { forwardOnly: true })).loss).not.toBeCloseTo(before, 2);
  expect((await second.forwardBackward(data, crossEntropy, { forwardOnly: true })).loss).toBeCloseTo(before, 3);
  expect(first.bytes).toBeGreaterThan(second.bytes);
});

test('a model that is loaded continues with the same bits, its waiting gradients included', async () => {
  const [model, loaded] = [await created(shape), await created({ ...shape, seed: 99 })];
  await step(model);
  await model.optimStep(adam);
  await step(model, rollouts, { name: 'ppo', config: {} });
  const most = model.bytesOnDisk('state');
  await model.save(join(folder, 'state'));
  const bytes = bytesIn(join(folder, 'state'));
  expect(bytes).toBeLessThanOrEqual(most);
  expect(bytes).toBeGreaterThan(model.bytes); // the loaded model has four copies of the adapter, as in memory
  await loaded.load(join(folder, 'state'), { optimizer: true });
  for (const [each, name] of [
    [model, 'went-on'],
    [loaded, 'loaded'],
  ] as const) {
    await step(each, data.slice(3));
    await each.optimStep(adam);
    await each.save(join(folder, name));
  }
  for (const file of await readdir(join(folder, 'went-on')))
    expect(await readFile(join(folder, 'loaded', file))).toEqual(await readFile(join(folder, 'went-on', file)));
  expect(existsSync(join(folder, 'loaded', 'gradients.safetensors'))).toBe(false);
});

test('without the optimizer a model begins again from the weights', async () => {
  const [model, loaded] = [await created(shape), await created({ ...shape, seed: 99 })];
  await step(model);
  await model.optimStep(adam);
  const most = model.bytesOnDisk('sampler');
  await model.saveForSampler(join(folder, 'sampler'));
  expect(bytesIn(join(folder, 'sampler'))).toBeLessThanOrEqual(most);
  await expect(loaded.load(join(folder, 'sampler'), { optimizer: true })).rejects.toThrow(
    'load it without the optimizer',
  );
  await step(loaded);
  await loaded.load(join(folder, 'sampler'), { optimizer: false });
  expect(await loaded.optimStep(adam)).toEqual({ 'grad_norm:mean': 0 });
  await loaded.saveForSampler(join(folder, 'again'));
  expect(await weightsIn(join(folder, 'again'))).toEqual(await weightsIn(join(folder, 'sampler')));
});

test('the sampler reads a saved adapter beside the base and gives its tokens the same log p', async () => {
  const model = await created(shape);
  for (let i = 0; i < 3; i++) {
    await step(model);
    await model.optimStep(adam);
  }
  await model.saveForSampler(join(folder, 'served'));
  const bank = base.model.adapterBank!;
  const adapter = await bank.load(await bank.read(join(folder, 'served')));
  const examples = data.map(({ tokens: ids, targets }) => ({ ids, targets }));
  const [served, plain] = [
    await base.model.targetLogprobs(examples, 1, { adapter }),
    await base.model.targetLogprobs(examples, 1),
  ];
  const { logprobs } = await model.forwardBackward(data, crossEntropy, { forwardOnly: true });
  logprobs.forEach((row, d) => row.forEach((logprob, t) => expect(served[d][t]).toBeCloseTo(logprob, 4)));
  expect(Math.abs(plain[0][41] - served[0][41])).toBeGreaterThan(0.01);
  bank.unload(adapter);
});

test('what cannot be trained on is refused by name', async () => {
  const model = await created(shape);
  const long = { ...data[0], tokens: new Int32Array(65), targets: new Int32Array(65), inputs: {} };
  await expect(step(model, [long])).rejects.toThrow('datum 0 has 65 tokens, and the model has a context of 64');
  await expect(step(model, [{ ...data[5], targets: data[5].targets.map(() => 40) }])).rejects.toThrow(
    'datum 0 has the token 40, and the vocabulary has 40',
  );
  await expect(model.optimStep({ ...adam, beta2: 1 })).rejects.toThrow('adam_params.beta2 is 1');
  await expect(created({ ...shape, trainAttn: false, trainMlp: false, trainUnembed: false })).rejects.toThrow(
    'set one of them to true',
  );
});

test('the flags stand for attention, feed-forward networks and the output head', () => {
  const { attn, mlp, unembed } = base.trainableModules;
  expect(attn.filter((path) => path.includes('.0.'))).toEqual(
    ['q', 'k', 'v', 'o'].map((name) => `model.layers.0.self_attn.${name}_proj`),
  );
  expect(mlp.filter((path) => path.includes('.1.'))).toEqual(
    ['gate', 'up', 'down'].map((name) => `model.layers.1.mlp.${name}_proj`),
  );
  expect(unembed).toEqual(['lm_head']);
  const tied = { attn, mlp, unembed: [] };
  expect(() => targetModules(tied, shape)).toThrow(/train_unembed is true.*embedding.*send train_unembed: false/s);
  expect(targetModules(tied, { ...shape, trainMlp: false, trainUnembed: false })).toHaveLength(4);
});
