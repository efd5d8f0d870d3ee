import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { newFolder } from '@bowyer/testing';
import { pauseAfter, withReport } from './write-report.js';

let directory: string;
beforeEach(async () => {
  directory = newFolder();
});

const report = () => readFile(join(directory, 'report.html'), 'utf8').catch(() => '');
const line = (iteration: number) => `${JSON.stringify({ iteration, 'rollout/episodic_return': iteration })}\n`;
/** Waits until the page contains a text. If it never does, the test's timeout ends the test. */
async function pageWith(text: string): Promise<string> {
  for (;;) {
    const page = await report();
    if (page.includes(text)) return page;
    await setTimeout(5);
  }
}

test('the page of a run is renewed while it works, opens itself again, and stands still once the run has ended', async () => {
  await writeFile(join(directory, 'run-config.json'), '{"task": "train_agent"}');
  const lines: string[] = [];
  await withReport(
    { directory, log: (message) => lines.push(message) },
    async () => {
      await writeFile(join(directory, 'metrics.jsonl'), line(1) + line(2));
      expect(await pageWith('"values":[1,2]')).toContain('"status":"running"');
      await writeFile(join(directory, 'metrics.jsonl'), line(1) + line(2) + line(3));
      expect(await pageWith('"values":[1,2,3]')).toContain('location.reload()');
      return 'finished';
    },
    () => 1,
  );
  expect(await report()).toContain('"status":"finished"');
  expect(lines).toEqual([]);
});

test('a figure that was not a number is a gap of its line', async () => {
  await writeFile(join(directory, 'run-config.json'), '{"task": "train_agent"}');
  await writeFile(join(directory, 'metrics.jsonl'), line(1) + line(2).replace(':2}', ':null}') + line(3));
  await writeFile(join(directory, 'warm-start.jsonl'), '{"losses/nll":2}\n{"losses/nll":null}\n{"losses/nll":1}\n');
  const lines: string[] = [];
  await withReport({ directory, log: (message) => lines.push(message) }, () => Promise.resolve('finished' as const));
  expect(lines).toEqual([]);
  expect(await report()).toContain('"values":[1,3]');
  expect(await report()).toContain('"values":[2,1]');
});

test('a report takes a hundredth of the time of its run at most', () => {
  for (const took of [1, 99, 100, 500, 30_000])
    expect(took / (took + pauseAfter(took))).toBeLessThanOrEqual(0.01 + 1e-12);
  expect(pauseAfter(20)).toBe(10_000);
  expect(pauseAfter(500)).toBe(49_500);
});
