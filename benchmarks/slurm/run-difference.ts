// Prints the largest difference of a metric, and of a weight in the last checkpoint, between two finished runs.
//   node --conditions=source --import tsx benchmarks/slurm/run-difference.ts RUN RUN
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSafetensors } from '@bowyer/checkpoints';

const [one, other] = process.argv.slice(2);
const metricsOf = (run: string) => {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return lines.flatMap((line, i) =>
    Object.entries(JSON.parse(line) as object).map(([key, value]) => [`${i} ${key}`, value] as const),
  );
};
const [a, b] = [one, other].map((run) => new Map<string, unknown>(metricsOf(run)));
let metric = 0;
for (const [key, value] of a) metric = Math.max(metric, Math.abs(Number(value) - Number(b.get(key))));

const checkpoint = (run: string) => {
  const folder = join(run, 'checkpoints');
  return join(
    folder,
    readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .sort()
      .at(-1)!,
  );
};
const [from, to] = [one, other].map(checkpoint);
const files = (readdirSync(from, { recursive: true }) as string[]).filter((name) => name.endsWith('.safetensors'));
let [weight, largest] = [0, 0];
for (const file of files) {
  const [left, right] = await Promise.all([readSafetensors(join(from, file)), readSafetensors(join(to, file))]);
  for (const [name, { data }] of Object.entries(left))
    data.forEach((value, i) => {
      weight = Math.max(weight, Math.abs(value - right[name].data[i]));
      largest = Math.max(largest, Math.abs(value));
    });
}
const missing = [...a.keys()].filter((key) => !b.has(key)).length + [...b.keys()].filter((key) => !a.has(key)).length;
console.log(
  `largest difference of a metric ${metric.toExponential(1)} (${a.size} figures, ${missing} in one run alone), ` +
    `of a weight or moment ${weight.toExponential(1)}, the largest of which is ${largest.toFixed(1)} (${files.length} files)`,
);
