import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newFolder, typeScriptArguments } from '@bowyer/testing';

let folder: string;
beforeEach(() => (folder = newFolder()));

test('a job that cannot start because no file descriptors are left fails, and its launcher continues', async () => {
  const script = join(folder, 'launcher.mts');
  await writeFile(
    script,
    `import { closeSync, openSync } from 'node:fs';
    import { startJobProcess } from ${JSON.stringify(new URL('./job-process.ts', import.meta.url).href)};
    const start = () => startJobProcess({
      command: [process.execPath, '-e', 'console.log(1)'],
      directory: ${JSON.stringify(folder)},
      cwd: process.cwd(),
      env: process.env,
      onLine: () => undefined,
    });
    await (await start()).ended;
    const held = [];
    try { for (;;) held.push(openSync('/dev/null')); } catch { /* all are in use */ }
    const { ended, pid } = await start();
    const { exitCode, problem } = await ended;
    held.forEach(closeSync);
    console.log(JSON.stringify({ pid, exitCode, problem, again: (await (await start()).ended).exitCode }));`,
  );
  const node = [process.execPath, ...typeScriptArguments()].map((word) => JSON.stringify(word)).join(' ');
  const { stdout } = await promisify(execFile)('/bin/sh', [
    '-c',
    `ulimit -n 200; exec ${node} ${JSON.stringify(script)}`,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    pid: null,
    exitCode: null,
    problem: expect.stringMatching(/EMFILE/),
    again: 0,
  });
});
