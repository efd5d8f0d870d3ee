import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import type { Comparison } from '../../run/results.js';
import { handOut } from './hand-out.js';

let directory: string;
beforeEach(async () => {
  directory = newFolder();
  for (const name of ['best', 'candidate']) {
    await mkdir(join(directory, 'checkpoints', name), { recursive: true });
    await writeFile(join(directory, 'checkpoints', name, 'model.safetensors'), name);
  }
});
const handedOut = () => readFile(join(directory, 'checkpoints/best/model.safetensors'), 'utf8');

const comparison = (verdict: Comparison['verdict'], low: number, high: number): Comparison => ({
  baseline: 'start',
  name: 'best (iteration 10)',
  decoding: 'sample',
  episodes: 256,
  meanDifference: (low + high) / 2,
  interval: { low, high },
  verdict,
});
const metrics: Record<string, number>[] = [
  { iteration: 0, 'eval/episodic_return': 0.7 },
  { iteration: 1, 'rollout/episodic_return': 0.7, 'rollout/tool_share': 0.88, 'groups/flat_share': 0.25 },
  { iteration: 2, 'rollout/episodic_return': 0.5, 'rollout/tool_share': 0.25, 'groups/flat_share': 0.75 },
];

test('a candidate that is significantly better in the test replaces the start', async () => {
  const found = await handOut({
    directory,
    comparison: comparison('improved', 0.1, 0.3),
    iteration: 10,
    metrics,
    notes: [],
  });
  expect(found).toEqual({ verdict: 'improved', iteration: 10, reasons: [], notes: [] });
  expect(await handedOut()).toBe('candidate');
});

test('else the start stays, with the smallest difference that the test can show, the change, and the run’s warnings', async () => {
  const notes = ['iteration 2: the share of answers that call a tool fell from 0.88 to 0.25'];
  const found = await handOut({
    directory,
    comparison: comparison('equal', -0.08, 0.06),
    iteration: 10,
    metrics,
    notes,
  });
  expect(found).toEqual({
    verdict: 'equal',
    iteration: 0,
    reasons: [
      'the test of 256 rollouts shows differences above 0.07; with task.test_size=1024, and as many more tasks, it shows half of that',
      'rollouts, first → last iteration: return 0.70 → 0.50, groups without a difference 0.25 → 0.75, answers that call a tool 0.88 → 0.25',
      'in 75 % of the last groups all rollouts had the same return, and nothing is learned from those: more rollouts per task (algorithm.rollout.group_size), ' +
        'tasks of another difficulty, or a reward with parts help',
    ],
    notes,
  });
  expect(await handedOut()).toBe('best');
});

test('if no evaluation was better than that of the start, there is no test', async () => {
  const found = await handOut({ directory, comparison: null, iteration: 0, metrics: [], notes: [] });
  expect(found.reasons).toEqual(['no evaluation during the training was better than that of the start']);
  expect(await handedOut()).toBe('best');
});
