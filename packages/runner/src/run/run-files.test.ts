import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { owningRun } from './owning-run.js';
import { claimDirectory, openDirectory, RunFiles } from './run-files.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

test('a resumed run cuts back what was written after its checkpoint', async () => {
  const files = await RunFiles.open(directory, {});
  await files.logMetrics(1, { 'rollout/episodic_return': -5 });
  const { lengths } = files;
  await files.logMetrics(2, { 'rollout/episodic_return': -4 });
  await RunFiles.open(directory, lengths);
  expect((await RunFiles.read(directory)).metrics).toEqual([
    { iteration: 1, 'rollout/episodic_return': -5, 'rollout.mean': -5 },
  ]);
});

test('the same config may claim a folder again, another one is refused with the differences', async () => {
  const run = join(directory, 'run');
  const config = { seed: 0, env: { words: 'full' } };
  expect(await openDirectory(run, { seed: 9 })).toBe('own'); // the folder was not claimed, so its files do not matter
  await claimDirectory(run, config);
  expect(await openDirectory(run, config)).toBe('own');
  expect(await openDirectory(run, { seed: 1, env: { words: ['dog'] } })).toBe('failed');
  await mkdir(join(run, 'checkpoints', '1'), { recursive: true });
  await expect(openDirectory(run, { seed: 1, env: { words: ['dog'] } })).rejects.toThrow(
    `the folder '${run}' contains a run with another config:\n` +
      '  seed: 0 → 1\n' +
      '  env.words: "full" → ["dog"]\n' +
      '  to resume that run give it the same config; for a new run choose another folder: save_path=FOLDER',
  );
  expect(JSON.parse(await readFile(join(run, 'run-config.json'), 'utf8'))).toEqual({ seed: 0, env: { words: 'full' } });
});

test('a run of an earlier version is resumed: keys that it did not have are null, as are keys whose present default is null', async () => {
  const run = join(directory, 'run');
  await openDirectory(run, {});
  await writeFile(join(run, 'results.json'), '{}');
  await claimDirectory(run, { seed: 0, env: { numProducts: 2400, numGoals: 500 } });
  await openDirectory(run, { seed: 0, play: { maxTurns: null }, env: { numProducts: null, numGoals: null } });
  // Version 0.2 wrote options at the root of the config.
  await claimDirectory(run, { seed: 0, maxTurns: null, slots: 8, env: { numGoals: 100 } });
  await openDirectory(run, { seed: 0, play: { slots: 8 }, env: { numGoals: 100 } });
  await claimDirectory(run, { seed: 0, play: { maxTurns: null }, env: { numGoals: 100 } });
  await openDirectory(run, { seed: 0, env: { numGoals: 100 } });
  await expect(openDirectory(run, { seed: 0, play: { maxTurns: 5 }, env: { numGoals: null } })).rejects.toThrow(
    'another config:\n  play.max_turns: null → 5\n  env.num_goals: 100 → null\n',
  );
});

test.each([
  ['checkpoints/best/model.safetensors', false],
  ['metrics.jsonl', false],
  ['trajectories/eval.jsonl', false],
  ['calls/rollouts.00001.jsonl', false],
  ['checkpoints/12/progress.json', true],
  ['results.json', true],
  ['notes-of-a-user.txt', true],
])('a folder with %s of another config has results: %j', async (file, isResult) => {
  const context = { directory, config: { decisive: { seed: 1 } } as never, log: () => undefined };
  const left = join(directory, file);
  await mkdir(dirname(left), { recursive: true });
  await writeFile(left, 'left');
  await writeFile(join(directory, 'run.log'), 'both');
  await claimDirectory(directory, { seed: 0 });
  const owned = owningRun(context, () => readdir(directory));
  if (isResult) {
    await expect(owned).rejects.toThrow('contains a run with another config');
    expect(await readFile(left, 'utf8')).toBe('left');
    return;
  }
  expect((await owned).sort()).toEqual(['failed-1', 'run.lock', 'run.log']);
  expect(await readFile(join(directory, 'failed-1', file), 'utf8')).toBe('left');
  expect(await readFile(join(directory, 'failed-1', 'run-config.json'), 'utf8')).toContain('"seed": 0');
  expect(await openDirectory(directory, { seed: 2 })).toBe('own');
});

test('a folder that cannot be made is reported before any work', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');
  await expect(openDirectory(join(file, 'run'), {})).rejects.toThrow(
    `cannot write to the run's folder '${join(file, 'run')}' (ENOTDIR)\n  choose another one: save_path=FOLDER`,
  );
});
