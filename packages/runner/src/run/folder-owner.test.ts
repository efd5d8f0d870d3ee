import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { owningFolder } from './folder-owner.js';

let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'bowyer-owner-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A process that owns the folder until it is killed. */
async function otherOwner() {
  const core = fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url));
  const program = `import { withFileLock } from ${JSON.stringify(core)};
    await withFileLock(${JSON.stringify(join(directory, 'run.lock'))}, () => { console.log('owned'); return new Promise(() => setInterval(() => {}, 1000)); });`;
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

test('a folder at work is refused with its process; the folder of a killed process is taken over', async () => {
  const other = await otherOwner();
  await expect(owningFolder(directory, 'run', () => Promise.resolve('both'))).rejects.toThrow(
    new RegExp(`^process ${other.pid} on .+ is at work on the run in ${directory}\n  wait for its end or stop it`),
  );
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(await owningFolder(directory, 'run', () => Promise.resolve('alone'))).toBe('alone');
  expect(await readdir(directory)).toEqual([]);
}, 30_000);

test('a folder that does not exist is made, and is free after a failure', async () => {
  const folder = join(directory, 'new');
  await expect(owningFolder(folder, 'sweep', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await readdir(folder)).toEqual([]);
});
