// Tests that a warm start that is killed with SIGKILL and started again ends with the same bytes as one that was never killed.
// finetune.test.ts kills fine-tuning, and stops.test.ts stops behaviour cloning.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { run, tinyGame, succeeds } from './command-line.js';

const directory = newFolder();
const entries = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
const starts = (name: string) => join(directory, name, 'cache', 'warm-starts');

/** Sixteen dialogues, four steps in each epoch, and a checkpoint after each step. */
const command = (name: string) => [
  ...tinyGame('archer_20q'),
  'demonstrations.count=16',
  'warm_start.epochs=3',
  'warm_start.batch_size=4',
  'warm_start.save_minutes=0',
  'iterations=1',
  'warmup_iter=0',
  'eval_freq=1',
  'eval_size=1',
  'test_size=1',
  'slots=1',
  `save_path=${join(directory, name)}`,
  `cache_dir=${join(directory, name, 'cache')}`,
];

/** Lists the steps of the warm start's checkpoints. Incomplete checkpoints are NaN. */
const steps = (name: string) =>
  entries(starts(name))
    .filter((entry) => entry.endsWith('.partial'))
    .flatMap((entry) => entries(join(starts(name), entry, 'checkpoints')).map(Number));

test('a resumed imitation has a policy and losses with the same bytes', async () => {
  const { signal } = await run(command('killed'), { killWhen: () => steps('killed').some((step) => step >= 5) });
  expect(signal).toBe('SIGKILL');
  expect(steps('killed').length).toBeGreaterThan(0);
  for (const name of ['killed', 'whole']) {
    const { stdout, stderr } = await succeeds(run(command(name)));
    expect(/: resumed after optimizer step \d/.test(stdout + stderr)).toBe(name === 'killed');
  }
  for (const file of ['model.safetensors', 'metrics.jsonl']) {
    const [whole, killed] = await Promise.all(
      ['whole', 'killed'].map((name) => {
        const made = entries(starts(name)).find((entry) => /^[0-9a-f]+$/.test(entry))!;
        return readFile(join(starts(name), made, file));
      }),
    );
    expect(whole.length).toBeGreaterThan(0);
    expect(killed.equals(whole)).toBe(true);
  }
  expect(entries(starts('killed')).filter((entry) => entry.endsWith('.partial'))).toEqual([]);
}, 180_000);
