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
/** Waits until the report contains a text. If it never does, Jest's timeout ends the test. */
async function pageWith(text: string): Promise<string> {
  for (;;) {
    const page = await report();
    if (page.includes(text)) return page;
    await setTimeout(5);
  }
}

test('the page of a run is written again during the run and reloads itself, and does not after the end', async () => {
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

test('a metric that is not a number is a gap in its curve', async () => {
  await writeFile(join(directory, 'run-config.json'), '{"task": "train_agent"}');
  await writeFile(join(directory, 'metrics.jsonl'), line(1) + line(2).replace(':2}', ':null}') + line(3));
  await writeFile(join(directory, 'warm-start.jsonl'), '{"losses/nll":2}\n{"losses/nll":null}\n{"losses/nll":1}\n');
  const lines: string[] = [];
  await withReport({ directory, log: (message) => lines.push(message) }, () => Promise.resolve('finished' as const));
  expect(lines).toEqual([]);
  expect(await report()).toContain('"values":[1,3]');
  expect(await report()).toContain('"values":[2,1]');
});

test('writing the report takes at most a hundredth of the run’s time', () => {
  for (const took of [1, 99, 100, 500, 30_000])
    expect(took / (took + pauseAfter(took))).toBeLessThanOrEqual(0.01 + 1e-12);
  expect(pauseAfter(20)).toBe(10_000);
  expect(pauseAfter(500)).toBe(49_500);
});
