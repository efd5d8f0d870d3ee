// Prints the tables of the runs that are there: node --conditions=source --import tsx experiments/agents/table.ts [FOLDER...]
// FOLDER is what run.ts was given as --out; outputs/experiments/agents/runs if none is given.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isBetter, isWorse, type Difference } from './paired.js';
import type { RunResult } from './run-result.js';
import { agentNames } from './set.js';

const given = process.argv.slice(2);
const folders = given.length > 0 ? given : [resolve(import.meta.dirname, '../../outputs/experiments/agents/runs')];
const order = agentNames('development,kept');
const place = ({ agent, seed }: RunResult) => order.indexOf(agent) * 1000 + seed;
const results = folders.flatMap(resultsBelow).sort((a, b) => place(a) - place(b));
if (results.length === 0) throw new Error(`there is no result.json below ${folders.join(', ')}`);

const byVariant = new Map<string, RunResult[]>();
for (const result of results) byVariant.set(result.variant, [...(byVariant.get(result.variant) ?? []), result]);
for (const [variant, ofVariant] of byVariant)
  console.log(`## ${variant}\n\nSettings: \`${JSON.stringify(ofVariant[0].settings)}\`\n\n${runsTable(ofVariant)}\n`);
console.log(`## Sums\n\n${sumsTable()}`);

function resultsBelow(folder: string): RunResult[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name === 'result.json')
    .map(({ parentPath, name }) => JSON.parse(readFileSync(join(parentPath, name), 'utf8')) as RunResult);
}

function runsTable(runs: readonly RunResult[]): string {
  const rows = runs.map((run) => [
    run.agent,
    run.seed,
    figure(run.start),
    figure(run.handedOut),
    signed(run.difference),
    interval(run.difference),
    figure(run.last),
    interval(run.lastDifference),
    run.verdict ?? '–',
    run.iterations,
  ]);
  return markdown(
    [
      'agent',
      'seed',
      'start',
      'handed out',
      'difference',
      '95 % interval',
      'last',
      'last − start',
      'verdict',
      'iterations',
    ],
    rows,
  );
}

function sumsTable(): string {
  const rows = [...byVariant].map(([variant, runs]) => {
    const count = (isSuch: (run: RunResult) => boolean) => runs.filter(isSuch).length;
    const withRoom = runs.filter(({ hasRoom }) => hasRoom);
    const better = withRoom.filter(({ difference }) => isBetter(difference)).length;
    return [
      variant,
      new Set(runs.map(({ agent }) => agent)).size,
      runs.length,
      count(({ difference }) => isWorse(difference)),
      count(({ lastDifference }) => isWorse(lastDifference)),
      `${better} of ${withRoom.length} (${((100 * better) / withRoom.length).toFixed(0)} %)`,
      `${withRoom.filter(({ lastDifference }) => isBetter(lastDifference)).length} of ${withRoom.length}`,
    ];
  });
  return markdown(
    ['variant', 'agents', 'runs', 'worse', 'last worse', 'better, of those with room', 'last better'],
    rows,
  );
}

function markdown(titles: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function figure(value: number): string {
  return value.toFixed(2);
}

function signed({ mean }: Difference): string {
  return (mean < 0 ? '' : '+') + figure(mean);
}

/** Bold where the interval does not contain 0. */
function interval(difference: Difference): string {
  const text = `${figure(difference.low)} … ${figure(difference.high)}`;
  return isBetter(difference) || isWorse(difference) ? `**${text}**` : text;
}
