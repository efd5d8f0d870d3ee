// Tests that the end of the check's log names what failed, for records that keep only the last lines.
import { failuresOfTask, failuresOfTasks } from '../../../tools/failures.js';

/** Returns Jest's output for two failed tests of a file, with a log of a test between them. */
const jest = (message: string) => `
> @bowyer/core@0.2.0 test
> node jest.js

 PASS  src/fine.test.ts
 FAIL  src/sum.test.ts (7.1 s)
  ✓ one (2 ms)
  ✕ two (3 ms)

  ● Console

    console.log
      a line of the test

  ● two

    ${message}

      12 | expect(1 + 1).toBe(3);

  ● a group › three

    thrown: "Exceeded timeout of 5000 ms for a test."

 PASS  src/other.test.ts
Test Suites: 1 failed, 2 passed, 3 total
Tests:       2 failed, 7 passed, 9 total
`;

const nx = (sections: Record<string, string>, failed: readonly string[]) =>
  [
    ...Object.entries(sections).map(([task, printed]) => `\n> nx run ${task}\n\n${printed}`),
    '\n NX   Running targets lint, test for 2 projects failed\n\nFailed tasks:\n\n',
    failed.map((task) => `- ${task}\n`).join(''),
    '\n  Run duration:      26m 40s\n',
  ].join('');

test('the failed tests of a task with their messages, without what other tests printed', () => {
  const lines = failuresOfTask(jest('Expected: 3')).split('\n');
  expect(lines.slice(0, 2)).toEqual(['FAIL src/sum.test.ts › two', 'FAIL src/sum.test.ts › a group › three']);
  expect(lines).toEqual(expect.arrayContaining(['    Expected: 3', '      12 | expect(1 + 1).toBe(3);']));
  expect(lines.at(-1)).toBe('    thrown: "Exceeded timeout of 5000 ms for a test."');
  expect(lines.join()).not.toMatch(/a line of the test|PASS|fine/);
});

test('only the failed tasks are listed, each by its own output', () => {
  const printed = nx(
    {
      '@bowyer/core:lint': 'core/src/x.ts\n  1:2  error  TS2322: no\n',
      '@bowyer/core:test': jest('\u001b[32mExpected: 3\u001b[39m'),
      '@bowyer/text:test': jest('not this one'),
    },
    ['@bowyer/core:test', '@bowyer/core:lint'],
  );
  const summary = failuresOfTasks(printed);
  expect(summary).toMatch(/^@bowyer\/core:test failed:\n\nFAIL src\/sum.test.ts › two\n/);
  expect(summary).toMatch(/\n    Expected: 3\n/);
  expect(summary).toMatch(/\n@bowyer\/core:lint failed:\n\n.*TS2322: no\n$/s);
  expect(summary).not.toContain('not this one');
  expect(failuresOfTasks(printed.replaceAll('\n> nx run', '\n::group::✖  > nx run'))).toBe(summary);
});

test('long messages are shortened before names are', () => {
  const summary = failuresOfTasks(
    nx({ 'a:test': jest('x '.repeat(25_000)), 'b:lint': 'y'.repeat(50_000) }, ['a:test', 'b:lint']),
  );
  expect(summary.length).toBeGreaterThan(5_000);
  expect(summary.length).toBeLessThan(8_300);
  expect(summary).toContain('FAIL src/sum.test.ts › a group › three');
  expect(summary).toMatch(/Exceeded timeout[^]*b:lint failed:\n\n… y+\n$/);
});

test('a run that nx did not begin names no task', () => {
  expect(failuresOfTasks('NX   Failed to process project graph.\n')).toBe('');
});
