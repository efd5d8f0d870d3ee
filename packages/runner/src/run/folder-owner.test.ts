import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { identityOf, refuseUsedFolder, stateOf, JsonlFile, writeNewFolder } from '@bowyer/core';
import { run } from '../../test/command-line.js';
import { CheckpointStore } from '@bowyer/checkpoints';
import { newFolder } from '@bowyer/testing';
import { admitToFolder, owningFolder, owningNewFolder } from './folder-owner.js';
import { TestCache } from './test-cache.js';
import { RunControl } from './run-control.js';
import { claimDirectory, RunFiles } from './run-files.js';
import { withReport } from '../report/write-report.js';

let directory: string;
beforeEach(() => (directory = newFolder()));

/** Starts a process that holds the lock of the folder until it is killed. */
async function otherOwner(lock = join(directory, 'run.lock')) {
  const file = fileURLToPath(new URL('../../../core/src/file-lock.ts', import.meta.url));
  const program = `import { withFileLock } from ${JSON.stringify(file)};
    await withFileLock(${JSON.stringify(lock)}, () => { console.log('owned'); return new Promise(() => setInterval(() => {}, 1000)); });`;
  const child = spawn(process.execPath, [
    '--conditions=source',
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    program,
  ]);
  await once(child.stdout, 'data');
  return child;
}

const say = (line: string) => void said.push(line);
let said: string[];
beforeEach(() => (said = []));

test('a folder in use is refused with the id of its process; the folder of a killed process is taken over', async () => {
  const other = await otherOwner();
  await expect(owningFolder(directory, 'run', say, () => Promise.resolve('both'))).rejects.toThrow(
    new RegExp(
      `^process ${other.pid} on \\S+ \\(since \\S+Z\\) is at work on the run in ${directory}\n  wait for its end or stop it, or choose another folder: save_path=FOLDER$`,
    ),
  );
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(await owningFolder(directory, 'run', say, () => Promise.resolve('alone'))).toBe('alone');
  expect(await readdir(directory)).toEqual([]);
  expect(said).toEqual([]);
});

test('a stopped process keeps its folder, and the message says how to continue it', async () => {
  const other = await otherOwner();
  try {
    other.kill('SIGSTOP');
    while (stateOf(identityOf(other.pid)) !== 'stopped') await sleep(5);
    await utimes(join(directory, 'run.lock'), 0, 0); // no heartbeat for half a century
    await expect(owningFolder(directory, 'run', say, () => Promise.resolve('both'))).rejects.toThrow(
      `is at work on the run in ${directory}\n  it is stopped (Ctrl-Z, SIGSTOP or Slurm's suspend): kill -CONT ${other.pid} continues it`,
    );
  } finally {
    other.kill('SIGKILL');
  }
});

test('a command for a folder in use is refused before its record is written', async () => {
  await admitToFolder(directory);
  const record = join(directory, '.hydra', 'overrides.yaml');
  await mkdir(dirname(record));
  await writeFile(record, '- seed=6\n');
  const other = await otherOwner();
  const refused = await run(['--config-name', 'archer_20q', 'seed=7', `save_path=${directory}`]);
  other.kill('SIGKILL');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${other.pid} on `) as string });
  expect(await readFile(record, 'utf8')).toBe('- seed=6\n');
  expect(await readdir(directory)).toEqual(['.hydra', 'run.lock']);
});

test('a folder that does not exist is made, and is free after a failure', async () => {
  const folder = join(directory, 'new');
  await expect(owningFolder(folder, 'sweep', say, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await readdir(folder)).toEqual([]);
});

test('an owner that lost its folder writes no line, no checkpoint and no report into it', async () => {
  const store = new CheckpointStore<object>(join(directory, 'checkpoints'));
  const reports: string[] = [];
  const lost = owningFolder(directory, 'run', say, async () => {
    const files = await RunFiles.open(directory, {});
    const control = await RunControl.open(directory, say, () => {});
    await files.logMetrics(1, { a: 1 });
    await writeFile(join(directory, 'run.lock'), JSON.stringify({ id: 'another', pid: 7, host: 'elsewhere' }));
    const before = await contents();
    await withReport({ directory, log: (line) => reports.push(line) }, async () => {
      for (const write of [
        () => files.logMetrics(2, { a: 2 }),
        () => files.logTimings(2, { a: 2 }),
        () => store.save(2, {}, (folder) => writeFile(join(folder, 'a'), '')),
        () => claimDirectory(directory, {}),
        () => JsonlFile.open(join(directory, 'metrics.jsonl'), 0),
        () => new TestCache(join(directory, 'checkpoints')).remove(),
      ])
        await expect(write()).rejects.toThrow('this process has lost');
      return 'finished';
    }).catch((error: Error) => expect(error.message).toContain('this process has lost'));
    await control[Symbol.asyncDispose]();
    expect(await contents()).toEqual(before);
  });
  await lost;
  expect(reports).toEqual([]);
  expect(await readFile(join(directory, 'run.lock'), 'utf8')).toContain('elsewhere');
});

test('a folder that was complete when its command was killed is accepted by the same command and by no other', async () => {
  const output = join(directory, 'model');
  const printed: string[] = [];
  const command = (dtype: string) =>
    owningNewFolder(
      output,
      { config: { decisive: { dtype } } as never, print: (text) => void printed.push(text) },
      async (own) => {
        await refuseUsedFolder('export', output);
        await writeNewFolder(output, (partial) => writeFile(join(partial, 'weights'), dtype), own);
        return `written as ${dtype}\n`;
      },
    );
  // These lines make the state in which a killed command leaves the output: the folder has its final name, and its lock is that
  // of a process that has ended.
  const killed = await otherOwner(`${output}.lock`);
  await writeNewFolder(
    output,
    (partial) => writeFile(join(partial, 'weights'), 'f16'),
    JSON.stringify({ dtype: 'f16' }),
  );
  killed.kill('SIGKILL');
  await once(killed, 'exit');

  await expect(command('q8')).rejects.toThrow(`export: the folder '${output}' is not empty`);
  await command('f16');
  expect(printed).toEqual([`written: ${output}, by this command before it was killed\n`]);
  expect(await readdir(directory)).toEqual(['model']);
  expect(await readdir(output)).toEqual(['weights']);
  // The command has printed its result now, so that the folder is refused as one that is in use.
  await expect(command('f16')).rejects.toThrow('is not empty');
  await rm(output, { recursive: true });
  await command('f16');
  expect(printed[1]).toBe('written as f16\n');
  expect(await readdir(output)).toEqual(['weights']);
});

/** Returns the contents of all files, so that the tests notice every file that was added, shortened or removed. */
async function contents(): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])));
}
