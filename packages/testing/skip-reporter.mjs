// Prints, as a Jest reporter, one line per reason: how many tests of a package were skipped for it. The reason is in the tests'
// titles.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export default class SkipReporter {
  #rootDir;
  #filtered;

  constructor(globalConfig) {
    this.#rootDir = globalConfig.rootDir;
    // With -t, Jest reports all other tests as skipped, so that only stated reasons are counted.
    this.#filtered = Boolean(globalConfig.testNamePattern);
  }

  onRunComplete(_contexts, results) {
    for (const line of summary(results.testResults, { filtered: this.#filtered })) {
      process.stderr.write(`${this.#packageName()}: ${line}\n`);
    }
  }

  #packageName() {
    return JSON.parse(readFileSync(join(this.#rootDir, 'package.json'), 'utf8')).name;
  }
}

/** Returns one line per reason, the most frequent first. */
export function summary(files, { filtered }) {
  const reasons = new Map();
  for (const { testFilePath, testResults } of files) {
    for (const { status, fullName } of testResults) {
      const stated = /\[skipped: (.*?)\](?=\s|$)/.exec(fullName)?.[1];
      if (status !== 'pending' || (stated === undefined && filtered)) continue;
      const reason = stated ?? 'no reason given';
      const counted = reasons.get(reason) ?? { tests: 0, suites: new Set() };
      reasons.set(reason, { tests: counted.tests + 1, suites: counted.suites.add(testFilePath) });
    }
  }
  const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;
  return [...reasons]
    .sort(([, a], [, b]) => b.tests - a.tests)
    .map(
      ([reason, { tests, suites }]) => `${count(tests, 'test')} in ${count(suites.size, 'suite')} skipped: ${reason}`,
    );
}
