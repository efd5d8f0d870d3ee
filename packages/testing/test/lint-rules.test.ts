import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { newFolder } from '../src/index.js';

const repository = resolve(import.meta.dirname, '../../..');

/** Each line breaks the rule that its comment names. */
const faults = `import { x } from '../packages/core/src/x.js'; // eslint(no-restricted-imports)
export const a = Math.random(); // eslint(no-restricted-properties)
export const b = [...[1]]; // bowyer(spread-literals)
export const c = { ...{ a } }; // bowyer(spread-literals)
export const d = Math.max(x, ...b); // bowyer(data-in-arguments)
export const e = String.fromCharCode(...b); // bowyer(data-in-arguments)
b.push(...b); // bowyer(data-in-pushes)
export const f = a as never; // bowyer(unchecked-casts)
export const g = a as unknown as string; // bowyer(unchecked-casts)
export const h = Math.max(a, 1) as unknown; // fine
b.push(1, d); // fine
`;

test('oxlint finds what the rules of the repository forbid, in the places where they hold', () => {
  const folder = newFolder();
  const files = ['packages/core/src/a.ts', 'packages/core/src/a.test.ts', 'packages/envs/src/a.ts', 'benchmarks/a.ts'];
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), faults);
  }
  // The rules' patterns start at the folder of the configuration.
  const settings = JSON.stringify({ extends: [join(repository, '.oxlintrc.json')] });
  writeFileSync(join(folder, '.oxlintrc.json'), settings);
  const oxlint = join(repository, 'node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(process.execPath, [oxlint, '--format', 'unix', '.'], { cwd: folder, encoding: 'utf8' });
  const found = (file: string) =>
    [...stdout.matchAll(/^(\S+?):(\d+):.* \[Error\/(\S+)\]$/gm)]
      .filter(([, path]) => path === file)
      .map(([, , line, rule]) => `${line} ${rule}`);
  const stated = (...lines: number[]) =>
    lines.map((line) => `${line} ${faults.split('\n')[line - 1]!.split('// ')[1]!}`);
  expect(files.map(found)).toEqual([
    stated(2, 3, 4, 5, 6, 7, 8, 9),
    stated(2, 3, 4),
    stated(2, 3, 4, 5, 6, 8, 9),
    stated(1, 2, 3, 4, 5, 6, 8, 9),
  ]);
});
