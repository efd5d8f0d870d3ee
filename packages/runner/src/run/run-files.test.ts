import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
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
  await openDirectory(run, { seed: 9 }); // not claimed, so nothing is held against it
  await openDirectory(run, config);
  await claimDirectory(run, config);
  await openDirectory(run, config);
  await expect(openDirectory(run, { seed: 1, env: { words: ['dog'] } })).rejects.toThrow(
    `the folder '${run}' contains a run with another config:\n` +
      '  seed: 0 → 1\n' +
      '  env.words: "full" → ["dog"]\n' +
      '  to resume that run give it the same config; for a new run choose another folder: save_path=FOLDER',
  );
  expect(JSON.parse(await readFile(join(run, 'run-config.json'), 'utf8'))).toEqual({ seed: 0, env: { words: 'full' } });
});

test('a run of an earlier version is resumed: keys that it did not have are null, and so are defaults that are null today', async () => {
  const run = join(directory, 'run');
  await openDirectory(run, {});
  await claimDirectory(run, { seed: 0, env: { numProducts: 2400, numGoals: 500 } });
  await openDirectory(run, { seed: 0, maxTurns: null, env: { numProducts: null, numGoals: null } });
  await claimDirectory(run, { seed: 0, maxTurns: null, env: { numGoals: 100 } });
  await openDirectory(run, { seed: 0, env: { numGoals: 100 } });
  await expect(openDirectory(run, { seed: 0, maxTurns: 5, env: { numGoals: null } })).rejects.toThrow(
    'another config:\n  max_turns: null → 5\n  env.num_goals: 100 → null\n',
  );
});

test('a folder that cannot be made is reported before any work', async () => {
  const file = join(directory, 'file');
  await writeFile(file, '');
  await expect(openDirectory(join(file, 'run'), {})).rejects.toThrow(
    `cannot write to the run's folder '${join(file, 'run')}' (ENOTDIR)\n  choose another one: save_path=FOLDER`,
  );
});
