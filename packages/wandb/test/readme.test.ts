// The README's program, and the command, against a local server.
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newFolder, programArguments, readmePrograms, WandbServer } from '@bowyer/testing';
import { openRun } from '../src/index.js';

const folder = resolve(import.meta.dirname, '..');
const [program] = readmePrograms(join(folder, 'README.md'), resolve(folder, '../..'));

let server: WandbServer;
let home: string;
const before = { ...process.env };
beforeEach(async () => {
  server = await WandbServer.start();
  home = newFolder();
  for (const name of Object.keys(process.env)) if (name.startsWith('WANDB_')) delete process.env[name];
  Object.assign(process.env, {
    HOME: home,
    WANDB_BASE_URL: server.url,
    WANDB_API_KEY: server.key,
    WANDB_X_FILE_STREAM_TRANSMIT_INTERVAL: '0.02',
  });
});
afterEach(async () => {
  process.env = { ...before };
  await server.close();
});

test('the program of the README writes a run to disk and sends it', async () => {
  const output = await program.run();
  const [[id, run]] = [...server.runs];
  expect(output).toContain('W&B: offline in ');
  expect(output.trimEnd().split('\n').at(-1)).toBe(`${id} sent`);
  expect(server.rows(id).map(({ loss }) => loss)).toEqual(Array.from({ length: 10 }, (_, i) => 1 / (i + 1)));
  expect(JSON.parse(run.summary!)).toMatchObject({ loss: { min: 0.1, last: 0.1 }, 'test/accuracy': 0.9 });
  expect(run).toMatchObject({ complete: true, exitcode: 0 });
});

const command = (...argv: string[]) =>
  promisify(execFile)(process.execPath, [...programArguments(join(folder, 'src/command.ts')), ...argv], {
    cwd: folder,
    env: process.env,
  });

test('bowyer-wandb sync sends what is on disk, once', async () => {
  const run = await openRun({
    directory: home,
    project: 'demo',
    name: 'first',
    config: {},
    place: { mode: 'offline' },
    env: process.env,
    note: () => {},
    warn: () => {},
  });
  await run!.log(1, { loss: 1 });
  await run!.close(0);
  expect((await command('sync', home)).stdout).toContain(`${run!.id}: sent`);
  expect((await command('sync', home)).stdout).toContain(`${run!.id}: was sent before`);
  expect(server.rows(run!.id)).toHaveLength(1);
});

test('bowyer-wandb says how it is used, and fails where there is no run', async () => {
  expect((await command('--help')).stdout).toContain('usage: bowyer-wandb sync FOLDER');
  await expect(command('send')).rejects.toMatchObject({ code: 2 });
  await expect(command('sync', home)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('bowyer-wandb: there is no run of W&B in') as string,
  });
});
