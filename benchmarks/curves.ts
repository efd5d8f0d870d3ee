// Learning curves of several runs in one picture.
//   node --conditions=source --import tsx benchmarks/curves.ts OUT.svg 'TITLE' METRIC NAME=RUN_FOLDER …
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '@bowyer/core';
import { lineChart } from '@bowyer/logging';

const [out, title, metric, ...runs] = process.argv.slice(2);
const series = await Promise.all(
  runs.map(async (run) => {
    const [name, folder] = run.split('=');
    const lines = (await readFile(join(folder, 'metrics.jsonl'), 'utf8')).trim().split('\n');
    const points = lines
      .map((line) => JSON.parse(line) as Record<string, number>)
      .filter((line) => metric in line)
      .map((line) => ({ x: line.iteration, y: line[metric] }));
    return { name, points };
  }),
);
await writeFileAtomically(out, `${lineChart(series, { title, xLabel: 'iteration' })}\n`);
