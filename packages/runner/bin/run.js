#!/usr/bin/env node
// Starts the built command line; in a checkout whose sources are newer than the build, the sources themselves through tsx.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const runner = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = dirname(runner);

/** Time of the last change to a source file, in ms; 0 in an installed package, which has no sibling sources. */
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

const inCheckout = existsSync(join(runner, '..', '..', 'tsconfig.base.json'));
if (inCheckout && isStale()) {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const main = join(runner, 'src', 'main.ts');
  const child = spawn(process.execPath, ['--conditions=source', '--import', tsx, main, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // Ctrl-C reaches both processes; this one waits for how the other ends. A signal to this one alone is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('close', (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
} else {
  await import('../dist/main.js');
}
