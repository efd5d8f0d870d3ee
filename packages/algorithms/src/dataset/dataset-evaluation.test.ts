import { trainingRun } from '../run/training-run.js';
import type { LanguageModel } from '@bowyer/models';
import { datasetEvaluation, heldOut, keepBestOf } from './dataset-evaluation.js';

const items = Array.from({ length: 20 }, (_, i) => ({ id: i, episode: Math.floor(i / 2) }));

test('the held-out share is of whole episodes, follows the seed, and nothing is in both parts', () => {
  const { training, validation } = heldOut(
    items,
    { eval: { validationShare: 0.2 }, seed: 1 },
    ({ episode }) => episode,
  );
  expect(validation).toHaveLength(4); // two of ten episodes, two parts each
  expect([...training, ...validation].sort((a, b) => a.id - b.id)).toEqual(items);
  const held = new Set(validation.map(({ episode }) => episode));
  expect(training.some(({ episode }) => held.has(episode))).toBe(false);
  expect(heldOut(items, { eval: { validationShare: 0.2 }, seed: 1 }, ({ episode }) => episode).validation).toEqual(
    validation,
  );
  expect(heldOut(items, { eval: { validationShare: 0 }, seed: 1 }).training).toEqual(items);
});

test('a share that leaves nothing to train on is refused', () => {
  expect(() => heldOut([1], { eval: { validationShare: 0.5 }, seed: 0 })).toThrow(
    'algorithm.eval.validation_share=0.5 holds out 1 of 1 items, and none remains to train on',
  );
});

test('evaluations are due before the first step, every eval.epochs epochs, and at the end', () => {
  const due = (epochs: number) => {
    const parts = {
      heldOutLoss: () => Promise.resolve({}),
      openPlayer: () => fail(),
      stepsPerEpoch: 4,
      totalSteps: 10,
    };
    const options = { eval: { epochs, size: 0, decoding: 'greedy' as const }, seed: 0, slots: 1 };
    const run = trainingRun({ policy: {} as LanguageModel, dialogues: {} as never });
    const evaluation = datasetEvaluation(run, parts, { ...options, sampling: {} as never })!;
    return Array.from({ length: 11 }, (_, step) => step).filter((step) => evaluation.isDue(step));
  };
  expect(due(1)).toEqual([0, 4, 8, 10]);
  expect(due(0.5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(due(0.01)).toHaveLength(11);
});

test('the best agent has the highest return, or without played episodes the smallest held-out loss', async () => {
  const scores: number[] = [];
  const hooks = { keepBest: async (_: number, score: number) => void scores.push(score) };
  await keepBestOf(hooks, 0, { 'eval/nll': 3, 'eval/episodic_return': -2 });
  await keepBestOf(hooks, 0, { 'eval/nll': 3 });
  await keepBestOf(hooks, 0, {});
  expect(scores).toEqual([-2, -3]);
});

const fail = (): never => {
  throw new Error('nothing is played');
};
