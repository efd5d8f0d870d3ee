// How long a browser works before a report with the metrics of 100,000 rows can be read: CPU time of the page's main thread by
// Chromium's own count, and wall time, medians of several loads. Needs Chromium.
//
//     node --conditions=source --import tsx benchmarks/report-load.ts [loads] [report.html]
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minimum } from '@bowyer/core';
import { chromium } from 'playwright-core';
import { median } from './measure.js';
import { writeReport } from '../packages/runner/src/report/write-report.js';

const loads = Number(process.argv[2] ?? 9);
const ROWS = 100_000;
const METRICS = 60;

/** A run's folder with long metrics. */
async function longRun(folder: string): Promise<string> {
  const names = ['rollout/episodic_return', 'rollout/win_rate', 'losses/q1', 'losses/policy'];
  for (let i = names.length; i < METRICS; i++) names.push(`group_${i % 7}/metric_${i}`);
  const lines: string[] = [];
  for (let step = 1; step <= ROWS; step++)
    lines.push(
      JSON.stringify({
        iteration: step,
        ...Object.fromEntries(names.map((name, i) => [name, Math.sin(step / 999 + i)])),
      }),
    );
  await writeFile(join(folder, 'metrics.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(
    join(folder, 'run-config.json'),
    JSON.stringify({ env: { name: 'long' }, algorithm: { name: 'archer' }, seed: 0 }),
  );
  return writeReport(folder);
}

const folder = await mkdtemp(join(tmpdir(), 'bowyer-report-load-'));
const path = process.argv[3] ?? (await longRun(folder));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const found: Record<string, number[]> = {};
for (let load = 0; load < loads; load++) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, offline: true });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`file://${path}`, { waitUntil: 'commit' });
  await page.locator('.uplot canvas').first().waitFor();
  const times = await page.evaluate(() => {
    const [{ domContentLoadedEventEnd, loadEventEnd, startTime }] = performance.getEntriesByType(
      'navigation',
    ) as PerformanceNavigationTiming[];
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    return {
      'wall: DOM ready': domContentLoadedEventEnd - startTime,
      'wall: loaded': loadEventEnd - startTime,
      'wall: first paint': paint?.startTime ?? NaN,
    };
  });
  const { metrics } = await session.send('Performance.getMetrics');
  const cpu = metrics.filter(({ name }) =>
    ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].includes(name),
  );
  const all = { ...times, ...Object.fromEntries(cpu.map(({ name, value }) => [`CPU: ${name}`, 1000 * value])) };
  for (const [name, value] of Object.entries(all)) (found[name] ??= []).push(value);
  await page.close();
}
await browser.close();
await rm(folder, { recursive: true });
for (const [name, values] of Object.entries(found))
  console.log(
    `${name.padEnd(26)} median ${median(values).toFixed(0).padStart(5)} ms, least ${minimum(values).toFixed(0).padStart(5)} ms`,
  );
