// Stands for the job of a sweep in tests: it writes the files of a run, and its overrides decide how it behaves:
// - x=N, iterations=N: it continues metrics.jsonl up to line N of `iterations`; the metric in line i is x · i.
// - fail=true: it prints an error and ends with exit code 3.
// - meet=FOLDER: it continues only when as many jobs as `guests` are in that folder at the same time.
// - hold=FILE: it waits until the file exists; SIGINT ends it before.
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const given = Object.fromEntries(
  process.argv
    .slice(2)
    .filter((word) => word.includes('='))
    .map((word) => {
      const at = word.indexOf('=');
      return [word.slice(0, at).replace(/^\++/, ''), word.slice(at + 1).replace(/^'(.*)'$/, '$1')];
    }),
);
const directory = given['hydra.run.dir'];
mkdirSync(directory, { recursive: true });
process.on('SIGINT', () => {
  console.log('wrote a checkpoint');
  process.exit(0);
});

console.log(`job with x=${given.x}`);
if (given.fail?.toLowerCase() === 'true') {
  console.error('Error: nothing works here');
  process.exit(3);
}
if (given.meet) {
  mkdirSync(given.meet, { recursive: true });
  writeFileSync(join(given.meet, given.x), '');
  while (readdirSync(given.meet).length < Number(given.guests)) await sleep(5);
}
if (given.hold) {
  writeFileSync(join(directory, 'holding.new'), String(process.pid));
  renameSync(join(directory, 'holding.new'), join(directory, 'holding'));
  while (!existsSync(given.hold)) await sleep(5);
}

const x = Number(given.x);
const metrics = join(directory, 'metrics.jsonl');
const done = existsSync(metrics) ? readFileSync(metrics, 'utf8').trim().split('\n').length : 0;
const iterations = Number(given.iterations ?? 1);
for (let i = done + 1; i <= iterations; i++)
  appendFileSync(metrics, `${JSON.stringify({ iteration: i, 'eval/episodic_return': x * i })}\n`);
appendFileSync(join(directory, 'starts'), `${done}..${iterations}\n`);
const policies = [
  { name: 'warm start', metrics: { 'test/episodic_return': 0 } },
  { name: 'best (iteration 1)', metrics: { 'test/episodic_return': x + 0.5 } },
  { name: 'last', metrics: { 'test/episodic_return': x } },
];
writeFileSync(join(directory, 'results.json'), JSON.stringify({ policies, optimalReturn: 7 }));
