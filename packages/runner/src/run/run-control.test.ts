import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { newFolder } from '@bowyer/testing';
import { isPaused, requestControl, RunControl } from './run-control.js';

let directory: string;
let control: RunControl;
let stopped: boolean;
beforeEach(async () => {
  directory = newFolder();
  await writeFile(join(directory, 'run.lock'), '{}');
  await writeFile(join(directory, 'control.json'), '{"action":"stop"}'); // a request to an earlier process
  stopped = false;
  control = await RunControl.open(
    directory,
    () => undefined,
    () => (stopped = true),
  );
});
afterEach(async () => {
  await control[Symbol.asyncDispose]();
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await wait(20);
}

test('a run obeys requests, and ignores requests to an earlier process', async () => {
  await requestControl(directory, 'checkpoint');
  await until(() => control.checkpointAsked);
  expect(stopped).toBe(false);
  await requestControl(directory, 'pause');
  // The test waits until the request has also been read, not only renamed.
  await until(() => !['control.json', 'control.json.taken'].some((name) => existsSync(join(directory, name))));
  const resumed = control.whilePaused();
  await until(() => isPaused(directory));
  await requestControl(directory, 'stop');
  await resumed;
  expect([stopped, isPaused(directory)]).toEqual([true, false]);
});

test('no request is sent to a process that does not read requests yet', async () => {
  await control[Symbol.asyncDispose]();
  await expect(requestControl(directory, 'stop')).rejects.toThrow('takes no requests yet: it is starting');
  expect(existsSync(join(directory, 'control.json'))).toBe(false);
});

test('no request is sent to a run that has ended', async () => {
  const before = new Date(Date.now() - 60_000);
  await utimes(join(directory, 'run.lock'), before, before);
  await expect(requestControl(directory, 'stop')).rejects.toThrow('and other tasks take no requests');
  expect(existsSync(join(directory, 'control.json'))).toBe(false);
});
