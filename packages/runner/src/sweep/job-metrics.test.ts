import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { readJobMetrics } from './job-metrics.js';

let directory: string;
beforeEach(async () => {
  directory = newFolder();
  const policies = [
    { name: 'warm start', metrics: { 'test/return': 1 } },
    { name: 'best (iteration 50)', metrics: { 'test/return': 3 } },
    { name: 'last', metrics: { 'test/return': 2 } },
  ];
  await writeFile(join(directory, 'results.json'), JSON.stringify({ policies, optimalReturn: 7 }));
  const lines = [
    { iteration: 1, loss: 5, 'eval/return': 10 },
    { iteration: 2, loss: 4, 'eval/return': 11 },
    { iteration: 3, loss: null },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(directory, 'metrics.jsonl'), `${text}{"iteration": 4, "lo`);
});

test.each([
  ['test/return', 2], // the value of the last policy in the list
  ['warm:test/return', 1],
  ['best:test/return', 3],
  ['worst:test/return', null],
  ['optimalReturn', 7],
  ['eval/return', 11], // the value in the last line that has the metric
  ['loss', 4],
  ['iteration', 3], // an incomplete line does not count
  ['unknown', null],
])('%s is %p', async (key, expected) => {
  expect(await readJobMetrics(directory, [key])).toEqual({ [key]: expected });
});

test('a job without files has no figures', async () => {
  expect(await readJobMetrics(join(directory, 'absent'), ['loss'])).toEqual({ loss: null });
});
