// The bar of a warm start shows how well it goes from its first step on: an epoch may take minutes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bc, demonstrationTrajectory, trainingRun } from '@bowyer/algorithms';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { wordLevelTokenizer } from '@bowyer/text';
import { Imitation } from './imitation.js';

test('beside the bar is the loss of the last steps, in the middle of an epoch too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bowyer-imitation-'));
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const tokenizer = wordLevelTokenizer(['go north\n']);
  const [terminatorId] = tokenizer.encode('\n');
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: 16 };
  const policy = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(0) });
  await policy.createOptimizer({ kind: 'adam', betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0 });
  const shown: [number, string | undefined][] = [];
  const context = {
    log: () => {},
    onInterrupt: () => {},
    openBar: () => ({
      startAt: () => {},
      update: (done: number, note?: string) => void shown.push([done, note]),
      finish: () => {},
    }),
  };
  const imitation = await Imitation.open(join(folder, 'start'), 'warm start', 5, context);
  await imitation.resume(policy);
  const demonstration = { opening: 'go', turns: [{ action: ' north', reply: '\n' }] };
  const episodes = Array.from({ length: 24 }, (_, episode) =>
    demonstrationTrajectory(demonstration, { tokenizer, terminatorId, episode }),
  );
  const sampling = { temperature: 1, topK: 0, topP: 1, greedy: false, maxNewTokens: 1, terminatorIds: [] };
  const run = trainingRun({ policy, dataset: { kind: 'episodes', episodes } });
  await bc.train(
    { ...run, hooks: imitation },
    {
      batch: { size: 2 },
      actor: { lr: 1e-2, schedule: { kind: 'constant' } },
      seed: 0,
      slots: 1,
      sampling,
    },
  );
  expect(shown.map(([done]) => done)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const losses = shown.map(([, note]) => Number(/^loss (\d+\.\d{4})$/.exec(note!)![1]));
  expect(losses).toEqual([...losses].sort((a, b) => b - a));
  expect(losses.at(-1)).toBeLessThan(losses[0]);
  await policy.release();
  await device.close();
  await rm(folder, { recursive: true, force: true });
});
