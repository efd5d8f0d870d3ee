#!/usr/bin/env node
// Starts the built command line. In a checkout it builds first where that was never done, and runs the sources themselves
// through tsx where they are newer than the build.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

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

/** Time of the last change to a source file, in ms. */
function newestSource(folder) {
  let newest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) newest = Math.max(newest, newestSource(path));
    else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
      newest = Math.max(newest, statSync(path).mtimeMs);
  }
  return newest;
}

function isStale() {
  if (!existsSync(join(runner, 'dist', 'main.js'))) return true;
  return readdirSync(packages).some((name) => {
    const sources = join(packages, name, 'src');
    const stamp = join(packages, name, 'dist', '.tsbuildinfo');
    return existsSync(sources) && (!existsSync(stamp) || newestSource(sources) > statSync(stamp).mtimeMs);
  });
}

/** The first start builds; one that begins meanwhile runs the sources. */
function buildOnce() {
  const lock = join(repository, 'node_modules', '.bowyer-build');
  try {
    mkdirSync(lock);
  } catch {
    return;
  }
  process.stderr.write('bowyer: building the packages, once\n');
  const tsc = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  spawnSync(process.execPath, [tsc, '--build'], { cwd: repository, stdio: ['ignore', 2, 2] });
  rmdirSync(lock);
}

checkNode();
if (inCheckout && !existsSync(join(repository, 'node_modules', 'tsx')))
  refuse(`the dependencies are not installed; run 'npm ci' in ${repository}`);
if (inCheckout && !existsSync(join(runner, 'dist', 'main.js'))) buildOnce();
if (inCheckout && isStale()) {
  const tsx = pathToFileURL(join(repository, 'node_modules', 'tsx', 'dist', 'loader.mjs')).href;
  const main = join(runner, 'src', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=source', '--import', tsx, main, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // Ctrl-C reaches both processes; this one waits for the other to end. A signal to this one alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('close', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
} else {
  await import('../dist/main.js');
}
