// The README's example runs as shown.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Output of the n-th program of the README. */
function outputOf(n: number): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const code = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)][n][1];
  // In this folder, so that the workspace's packages are found.
  const file = fileURLToPath(new URL(`./readme-${process.pid}-${n}.ts`, import.meta.url));
  writeFileSync(file, code);
  try {
    return execFileSync(process.execPath, ['--conditions=source', '--import', 'tsx', file], {
      encoding: 'utf8',
      env: { ...process.env, FORCE_COLOR: '0' }, // Nx requests colours
    });
  } finally {
    rmSync(file);
  }
}

test('the served environment answers a step', () => {
  expect(outputOf(0)).toMatch(/observation: .*inventory/i);
});
