// Tests that a run's files are valid inputs: each checkpoint as a model, and its episodes as demonstrations.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { tinyGame, succeeds } from './command-line.js';
import { runHere } from './in-process.js';

const directory = newFolder();
beforeAll(async () => {
  const folders = [`save_path=${at('chai')}`, `cache_dir=${at('cache')}`];
  await ends([...tinyGame('chai_20q'), 'iterations=3', 'save_freq=2', 'eval_freq=1', 'threads=1', ...folders]);
}, 200_000);

const at = (...path: string[]) => join(directory, ...path);

async function ends(args: readonly string[]): Promise<void> {
  await succeeds(runHere(args));
}

/** Reads the rows of a run's final test. */
async function tested(name: string): Promise<{ name: string; metrics: Record<string, number> }[]> {
  const text = await readFile(at(name, 'results.json'), 'utf8');
  return (JSON.parse(text) as { policies: { name: string; metrics: Record<string, number> }[] }).policies;
}

async function evaluated(place: string, name: string): Promise<Record<string, number>> {
  const play = ['max_new_tokens=6', 'slots=8', 'test_size=8', 'env.max_turns=6', 'critic.width=16', 'threads=1'];
  const paths = [`checkpoint_path=${place}`, `save_path=${at(name)}`];
  await ends(['--config-name', 'chai_20q', 'task=evaluate', ...play, ...paths]);
  const [{ metrics }] = await tested(name);
  return metrics;
}

test('task=evaluate plays a CHAI run with its critic, as its own final test: its best, and its last checkpoint', async () => {
  const [start, last, best] = await tested('chai');
  expect([start.name, last.name, best.name.replace(/\d+/, 'N')]).toEqual(['warm start', 'last', 'best (iteration N)']);
  expect(await evaluated(at('chai'), 'of-run')).toEqual(best.metrics);
  expect(await evaluated(at('chai', 'checkpoints', 'best'), 'of-best')).toEqual(best.metrics);
  expect(await evaluated(at('chai', 'checkpoints', '000003'), 'of-last')).toEqual(last.metrics);
}, 180_000);

test('its rollouts can be demonstrations, and a numbered checkpoint can be the initial policy', async () => {
  const given = [
    `policy_lm=${at('chai', 'checkpoints', '000003')}`,
    `demonstrations.path=${at('chai', 'trajectories', 'rollout.jsonl')}`,
  ];
  const words = tinyGame('bc_20q', 'given').filter((word) => !word.startsWith('demonstrations.count='));
  await ends([...words, ...given, 'lm_lr=1e-3', 'threads=1', `save_path=${at('cloned')}`]);
  expect((await tested('cloned')).map(({ name }) => name)).toEqual(['start', 'last']);
  const lines = (await readFile(at('cloned', 'metrics.jsonl'), 'utf8')).trimEnd().split('\n');
  const losses = lines.map((line) => (JSON.parse(line) as Record<string, number>)['losses/nll']);
  expect(losses).toHaveLength(2);
  expect(losses[1]).toBeLessThan(losses[0]);
}, 180_000);
