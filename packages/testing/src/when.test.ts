import { jest } from '@jest/globals';
import { isExhaustive, whenExhaustive } from './exhaustive.js';
import { whenRecorded } from './recordings.js';
import { when } from './when.js';
import { summary } from '../skip-reporter.mjs';

test('what is available runs as it is', () => {
  expect(when(true, 'never shown')).toEqual({ test, describe });
});

test('recordings that are missing are the reason for the skip', () => {
  const [before, register] = [
    process.env.BOWYER_RECORDINGS,
    jest.spyOn(test, 'skip').mockImplementation(() => undefined),
  ];
  try {
    delete process.env.BOWYER_RECORDINGS;
    whenRecorded('models').test('scores', () => undefined);
    process.env.BOWYER_RECORDINGS = import.meta.dirname;
    whenRecorded('models').test('scores', () => undefined);
    expect(register.mock.calls.map(([title]) => title)).toEqual([
      'scores [skipped: BOWYER_RECORDINGS is not set (recordings of real systems, see CONTRIBUTING.md)]',
      'scores [skipped: BOWYER_RECORDINGS has no models]',
    ]);
  } finally {
    if (before === undefined) delete process.env.BOWYER_RECORDINGS;
    else process.env.BOWYER_RECORDINGS = before;
    register.mockRestore();
  }
});

test('long tests run with BOWYER_EXHAUSTIVE alone', () => {
  const before = process.env.BOWYER_EXHAUSTIVE;
  const register = jest.spyOn(test, 'skip').mockImplementation(() => undefined);
  try {
    process.env.BOWYER_EXHAUSTIVE = '1';
    expect([isExhaustive(), whenExhaustive()]).toEqual([true, { test, describe }]);
    delete process.env.BOWYER_EXHAUSTIVE;
    expect(isExhaustive()).toBe(false);
    whenExhaustive().test('kills', () => undefined);
    expect(register.mock.calls.map(([title]) => title)).toEqual([
      'kills [skipped: BOWYER_EXHAUSTIVE is not set (long tests, see CONTRIBUTING.md)]',
    ]);
  } finally {
    if (before === undefined) delete process.env.BOWYER_EXHAUSTIVE;
    else process.env.BOWYER_EXHAUSTIVE = before;
    register.mockRestore();
  }
});

test('one line per reason, with the number of tests and of suites', () => {
  const file = (testFilePath: string, ...titles: string[]) => ({
    testFilePath,
    testResults: titles.map((fullName) => ({ status: fullName === 'runs' ? 'passed' : 'pending', fullName })),
  });
  const files = [
    file('a.test.ts', 'runs', 'x [skipped: no GPU]', 'y [skipped: no GPU]'),
    file('b.test.ts', 'suite [skipped: no GPU] z', 'other'),
  ];
  expect(summary(files, { filtered: false })).toEqual([
    '3 tests in 2 suites skipped: no GPU',
    '1 test in 1 suite skipped: no reason given',
  ]);
  expect(summary(files, { filtered: true })).toEqual(['3 tests in 2 suites skipped: no GPU']);
});
