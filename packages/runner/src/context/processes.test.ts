import { oneRank, type Ranks } from '@bowyer/core';
import { oneProcessText, processesOf, processesText } from './processes.js';

test.each([
  [['a', 'a'], [1, 1], '2 processes share this run, 1 thread each: ranks 0 to 1 on a'],
  [['a', 'a', 'b'], [4, 4, 4], '3 processes share this run, 4 threads each: ranks 0 to 1 on a, rank 2 on b'],
  [
    ['a', 'b', 'a', 'b'],
    [1, 2, 1, 2],
    '4 processes share this run, 1 to 2 threads each: ranks 0, 2 on a, ranks 1, 3 on b',
  ],
])('%j', (hosts, threads, text) => {
  expect(processesText({ ranks: hosts.length, hosts, threads })).toBe(text);
});

test('the log line of a single process', () => {
  expect([1, 4].map((threads) => oneProcessText(threads))).toEqual([
    '1 process runs this, with 1 thread',
    '1 process runs this, with 4 threads',
  ]);
});

test('a single process is not in the results; each of several processes reports its own figures', () => {
  expect(processesOf(oneRank, 3)).toBeNull();
  const two: Ranks = { ...oneRank, size: 2, gather: (value) => [value, value] };
  expect(processesOf(two, 3)).toMatchObject({ ranks: 2, threads: [3, 3] });
  expect(processesOf(two, 0)!.threads[0]).toBeGreaterThan(0);
});
