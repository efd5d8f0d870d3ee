// Runs the whole check: `npm run check`. The log of a failed check ends with the failures. Options go to nx: `-- --projects
// @bowyer/core`.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { failuresOfTasks } from './failures.js';

const repository = resolve(import.meta.dirname, '..');
const given = process.argv.slice(2);
// One process for all files takes half the time of one process per package.
const checks = given.length > 0 ? 'lint,types' : 'lint-all,types-all';
const targets = `${checks},cycles,format,prose,test`;
const options = ['--targets', targets, '--output-style', 'static', ...given];
const nx = spawn(resolve(repository, 'node_modules/.bin/nx'), ['run-many', ...options], {
  cwd: repository,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env,
});
const printed: Buffer[] = [];
for (const name of ['stdout', 'stderr'] as const)
  nx[name].on('data', (piece: Buffer) => (printed.push(piece), process[name].write(piece)));
const code = await new Promise<number | null>((resolve) => nx.on('close', resolve));
if (code !== 0) process.stdout.write(`\n${failuresOfTasks(Buffer.concat(printed).toString())}`);
process.exitCode = code ?? 1;
