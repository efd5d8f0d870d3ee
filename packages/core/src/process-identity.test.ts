import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { when } from '@bowyer/testing';
import { identityOf, seenByPs, stateOf } from './process-identity.js';

test('this process is running, an ended one has ended, and one that cannot be seen from here is unknown', () => {
  const own = identityOf();
  expect(own).toMatchObject({ pid: process.pid, started: expect.any(String) as string });
  expect(stateOf(own)).toBe('running');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  expect(stateOf({ ...own, pid })).toBe('ended');
  expect(stateOf({ ...own, boot: `${own.boot}-`, host: 'elsewhere' })).toBe('unknown');
  expect(stateOf({ ...own, pid, processes: 'pid:[1]', host: 'elsewhere' })).toBe('unknown');
});

test('a name with brackets and spaces does not move the fields of /proc', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'process.title = "a) R 1 (b"; console.log(""); setInterval(() => {}, 1000)',
  ]);
  try {
    await once(child.stdout, 'data');
    expect(stateOf(identityOf(child.pid))).toBe('running');
    child.kill('SIGSTOP');
    while (stateOf(identityOf(child.pid)) !== 'stopped') await sleep(5);
  } finally {
    child.kill('SIGKILL');
  }
});

const hasPs = spawnSync('ps', ['-o', 'lstart=', '-p', String(process.pid)]).status === 0;

when(hasPs, 'no ps').test('without /proc, ps says the same', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  try {
    const { started } = seenByPs(child.pid!)!;
    expect(started).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    child.kill('SIGSTOP');
    while (!seenByPs(child.pid!)!.state.startsWith('T')) await sleep(5);
    expect(seenByPs(child.pid!)!.started).toBe(started);
  } finally {
    child.kill('SIGKILL');
  }
  expect(seenByPs(2 ** 22 + 1)).toBeNull();
});
