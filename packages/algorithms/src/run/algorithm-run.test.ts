// Tests a run as its algorithm uses it, with a policy and models that only count their calls.
import { Type } from '@bowyer/core';
import type { LanguageModel } from '@bowyer/models';
import { jest } from '@jest/globals';
import { textDialogues } from '../rollout/text-dialogue.js';
import type { AlgorithmRun } from './algorithm-run.js';
import { defineAlgorithm } from './algorithm-unit.js';
import { trainingRun } from './training-run.js';

const step = jest.fn(() => Promise.resolve({ gradientNorm: 3, clipCoefficient: 1 }));
const policy = { tokenizer: {}, optimizer: { step } } as unknown as LanguageModel;
const dialogues = textDialogues(policy.tokenizer);
const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };

function train(algorithm: (run: AlgorithmRun) => Promise<void>, openReference = frozen().open): Promise<void> {
  const options = Type.Object({});
  const unit = defineAlgorithm({ name: 'own', description: 'own', options, train: algorithm });
  return unit.train(trainingRun({ policy, dialogues, openReference }), { seed: 0, slots: 1, sampling });
}

function frozen() {
  const release = jest.fn(() => Promise.resolve());
  return { release, open: () => Promise.resolve({ logprobs: () => Promise.resolve([]), release }) };
}

test('an algorithm without the options of the loop is refused: it would silently train for no iteration', async () => {
  const training = train(async (run) => {
    for await (const iteration of run.iterations()) throw new Error(`iteration ${iteration}`);
  });
  await expect(training).rejects.toThrow('run.iterations() reads the options of loopOptions');
});

test('a step is the mean gradient of its micro-batches, and returns the means of their metrics', async () => {
  let found = {};
  await train(async (run) => {
    found = await run.step([1, 2, 6], (x) => Promise.resolve({ 'losses/own': x }), { lr: 0.1, maxGradNorm: 1 });
  });
  expect(found).toEqual({ 'losses/own': 3, 'optim/policy_gradient_norm': 3 });
  expect(step).toHaveBeenCalledWith({ lr: 0.1, maxGradNorm: 1, gradientScale: 1 / 3 });
});

test.each([
  ['ends', async () => {}],
  ['fails', () => Promise.reject(new Error('a mistake'))],
])('a frozen policy is released when the algorithm %s', async (_, end) => {
  const { open, release } = frozen();
  const training = train(async (run) => {
    await run.openReference();
    await end();
  }, open);
  await training.catch(() => {});
  expect(release).toHaveBeenCalledTimes(1);
});

test('a frozen policy that the algorithm releases itself is not released again', async () => {
  const { open, release } = frozen();
  await train(async (run) => (await run.openReference()).release(), open);
  expect(release).toHaveBeenCalledTimes(1);
});
