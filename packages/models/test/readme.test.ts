// The README's program runs as it is shown.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

test('the critic of the README learns that asking again costs 1', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readme)!;
  // Beside this file, so that the workspace's packages are found.
  const file = fileURLToPath(new URL(`./readme-${process.pid}.ts`, import.meta.url));
  writeFileSync(file, code);
  try {
    const output = execFileSync(process.execPath, ['--conditions=source', '--import', 'tsx', file], {
      encoding: 'utf8',
    });
    const [, ...q1] = /q1: Float32Array\(2\) \[ (\S+), (\S+) \]/.exec(output)!;
    expect(Number(q1[0])).toBeCloseTo(-2, 1);
    expect(Number(q1[1])).toBeCloseTo(-3, 1);
  } finally {
    rmSync(file);
  }
});
