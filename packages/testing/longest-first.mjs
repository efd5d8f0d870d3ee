// Orders Jest's test files: those with the longest time limits come first, so that no worker begins a long file at the end. In a
// fresh checkout no durations are known, so that the limits in the files are used.
import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** The sum of the limits that a test file gives its tests, in ms: `}, 120_000)`. */
export const statedLimits = (text) =>
  [...text.matchAll(/^\s*\},?\s+([\d_]{5,}),?\s*\)|^\s+([\d_]{5,}),\n\s*\)/gm)].reduce(
    (sum, [, a, b]) => sum + Number((a ?? b).replaceAll('_', '')),
    0,
  );

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const files = tests.map((test) => {
      const text = readFileSync(test.path, 'utf8');
      return { test, limit: statedLimits(text), size: text.length };
    });
    return files.sort((a, b) => b.limit - a.limit || b.size - a.size).map(({ test }) => test);
  }
}
