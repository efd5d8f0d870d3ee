// The README's programs run as they are shown.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What the n-th program of the README prints. */
function outputOf(n: number): string {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const code = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)][n][1];
  // Beside this file, so that the workspace's packages are found.
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

test('the critic of the README learns that asking again costs 1', () => {
  const [, ...q1] = /q1: Float32Array\(2\) \[ (\S+), (\S+) \]/.exec(outputOf(0))!;
  expect(Number(q1[0])).toBeCloseTo(-2, 1);
  expect(Number(q1[1])).toBeCloseTo(-3, 1);
});

test('the policy of the README learns its reply and where to end it', () => {
  expect(outputOf(1)).toMatch(/^ a grey cat terminator/);
});
