// Tests the training of a warm start: its progress bar shows the loss from the first step on, and a loss that is not a number
// ends the training.
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { bc, demonstrationTrajectory, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { ProgressBar } from '@bowyer/logging';
import { LanguageModel } from '@bowyer/models';
import { newFolder } from '@bowyer/testing';
import { wordLevelTokenizer } from '@bowyer/text';
import { Imitation } from './imitation.js';

/** Imitates 24 dialogues in 12 steps. @returns the texts of the progress bar */
async function imitated(lr: number): Promise<[done: number, note?: string][]> {
  const folder = newFolder();
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const tokenizer = wordLevelTokenizer(['go north\n']);
  const [terminatorId] = tokenizer.encode('\n');
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 16 };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(0) });
  await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const update = jest.spyOn(ProgressBar.prototype, 'update');
  const context = { log: () => {}, onInterrupt: () => {}, progress: { write: () => {} } };
  const imitation = await Imitation.open(join(folder, 'start'), 5, context);
  await imitation.resume(policy);
  const demonstration = { opening: 'go', turns: [{ action: ' north', reply: '\n' }] };
  const episodes = Array.from({ length: 24 }, (_, episode) =>
    demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode }),
  );
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
  const run = trainingRun({ policy, dataset: { kind: 'episodes', episodes } });
  try {
    await bc.train(
      { ...run, hooks: imitation },
      { batch: { size: 2 }, actor: { lr, schedule: { kind: 'constant' } }, seed: 0, slots: 1, sampling },
    );
  } finally {
    await policy.release();
  }
  return update.mock.calls;
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('the progress bar shows the loss of the last steps, also in the middle of an epoch', async () => {
  const shown = await imitated(1e-2);
  expect(shown.map(([done]) => done)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const losses = shown.map(([, note]) => Number(/^loss (\d+\.\d{4})$/.exec(note!)![1]));
  expect(losses).toEqual([...losses].sort((a, b) => b - a));
  expect(losses.at(-1)).toBeLessThan(losses[0]);
});

test('a loss that is not a number ends the warm start with the option that makes its steps smaller', async () => {
  await expect(imitated(1e38)).rejects.toThrow(
    'warm start: the loss became NaN by optimizer step 12\n' +
      '  give a smaller warm_start.lr, or a smaller warm_start.max_grad_norm',
  );
});
