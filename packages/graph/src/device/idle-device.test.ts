// Tests that a process which leaves a device open, for example because of an error, ends by itself.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newFolder } from '@bowyer/testing';

const device = new URL('./device.ts', import.meta.url).href;

test('a device that nobody closed keeps no process alive, and computes as long as somebody waits', async () => {
  const program = `
    import { openDevice } from ${JSON.stringify(device)};
    const device = await openDevice({ device: 'cpu', threads: 1 });
    const state = await device.createZeros({ x: [2, 3] });
    console.log(state.info('x').shape.join());
  `;
  const folder = newFolder();
  const path = join(folder, 'program.mjs');
  writeFileSync(path, program);
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const command = ['--conditions=source', '--import', 'tsx', path];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd, timeout: 120_000 });
  expect(stdout).toBe('2,3\n');
}, 180_000);
