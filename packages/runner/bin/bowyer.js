#!/usr/bin/env node
// Starts the built command line. In a checkout it builds first where that was never done, and runs the sources themselves
// through tsx where they are newer than the build.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isStale } from './is-stale.js';

const runner = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = dirname(runner);
const repository = dirname(packages);
const inCheckout = existsSync(join(repository, 'tsconfig.base.json'));

/** Ends the process with one sentence. */
function refuse(message) {
  process.stderr.write(`bowyer: ${message}\n`);
  process.exit(1);
}

function checkNode() {
  const oldest = JSON.parse(readFileSync(join(runner, 'package.json'), 'utf8')).engines.node.replace('>=', '');
  const [found, needed] = [process.versions.node, oldest].map((version) => version.split('.').map(Number));
  const difference = found.map((part, i) => part - needed[i]).find((part) => part !== 0) ?? 0;
  if (difference < 0) refuse(`this is Node ${process.versions.node}, and Node ${oldest} or newer is needed`);
}

const built = join(runner, 'dist', 'bundle', 'main.js');

async function build() {
  process.stderr.write('bowyer: building the packages, once\n');
  const tsc = join(repository, 'node_modules', 'typescript-7', 'bin', 'tsc');
  for (const program of [[tsc, '--build', 'tsconfig.build.json'], [join(repository, 'tools', 'bundle-packages.mjs')]]) {
    const child = spawn(process.execPath, program, { cwd: repository, stdio: ['ignore', 2, 2] });
    await new Promise((resolve) => child.on('close', resolve));
  }
}

/** The first start builds; one that begins meanwhile waits for it. */
async function buildOnce() {
  const { tsImport } = await import('tsx/esm/api');
  const { holderMessage, withFileLock } = await tsImport('../../core/src/file-lock.ts', import.meta.url);
  const say = (holder) =>
    process.stderr.write(
      `bowyer: ${holderMessage(holder, (who) => `waiting for ${who}, which builds the packages`)}\n`,
    );
  const lock = join(repository, 'node_modules', '.bowyer-build.lock');
  await withFileLock(lock, async () => existsSync(built) || (await build()), { onWait: say });
}

/** Runs the sources in a process of its own, since conditions of exports are options of Node. */
function runSources() {
  const tsx = pathToFileURL(join(repository, 'node_modules', 'tsx', 'dist', 'loader.mjs')).href;
  const main = join(runner, 'src', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=source', '--import', tsx, main, ...process.argv.slice(2)], {
    // Through the channel it learns that this process has ended, even by SIGKILL, and ends too: see src/context/parent.ts.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, BOWYER_ENDS_WITH_PARENT: '1' },
  });
  // Ctrl-C reaches both processes; this one waits for the other to end. A signal to this one alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL')); // what started this one has ended
  process.channel?.unref();
  child.on('close', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
}

checkNode();
if (inCheckout && !existsSync(join(repository, 'node_modules', 'tsx')))
  refuse(`the dependencies are not installed; run 'npm ci' in ${repository}`);
if (inCheckout && !existsSync(built)) await buildOnce();
if (inCheckout && isStale()) runSources();
else {
  module.enableCompileCache?.(); // from Node 22.1 on; compiling the bundles is half of a start
  await import('../dist/bundle/main.js');
}
