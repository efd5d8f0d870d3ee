// Tests that a process ends with its parent, and that a job of a sweep, which is started in the same way, does so too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, stateOf } from '@bowyer/core';
import { newFolder, typeScriptArguments } from '@bowyer/testing';

let directory: string;
beforeEach(() => (directory = newFolder()));

const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const node = [process.execPath, ...typeScriptArguments(), '--input-type=module', '-e'];
/**
 * A program that prints its process id and then works until it is ended. It prints nothing more, so that it is not ended by
 * writing to a closed pipe.
 */
const child = (asks: boolean) => `
  import { endWithParent } from ${module('./parent.ts')};
  if (${asks}) endWithParent();
  console.log(process.pid);
  setInterval(() => {}, 1000);`;

/** A program that starts `child` in the way in which a sweep's launcher starts a job, and prints the child's output. */
const launcher = (asks: boolean) => `
  import { startJobProcess } from ${module('../sweep/job-process.ts')};
  await startJobProcess({
    command: ${JSON.stringify([...node, child(asks)])},
    directory: ${JSON.stringify(directory)},
    cwd: process.cwd(),
    env: process.env,
    onLine: (line) => console.log(line),
  });`;

async function startedChild(asks: boolean) {
  const [program, ...args] = [...node, launcher(asks)];
  const parent = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  return { parent, job: identityOf(Number(text.toString())) };
}

test('a job ends when its launcher is killed, whatever it is doing', async () => {
  const { parent, job } = await startedChild(true);
  expect(stateOf(job)).toBe('running');
  parent.kill('SIGKILL');
  while (stateOf(job) !== 'ended') await sleep(10); // Jest's timeout fails the test if the job survives its launcher
}, 180_000);

test('a process that does not request it survives its parent', async () => {
  const { parent, job } = await startedChild(false);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await sleep(300);
  expect(stateOf(job)).toBe('running');
  process.kill(job.pid, 'SIGKILL');
}, 180_000);
