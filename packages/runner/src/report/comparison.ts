// Compares several runs. The result is the data of comparison.html, and text for the terminal.
import { basename, join, resolve } from 'node:path';
import { mean } from '@bowyer/core';
import { textTable } from '@bowyer/logging';
import type { ComparisonData } from '@bowyer/views';
import { bandCharts } from './bands.js';
import { findRuns } from './find-runs.js';
import { readMetrics } from './metric-table.js';
import { firstOutcome, outcomeTable, unpairedText } from './outcomes.js';
import { pairedDifference, readPair, verdictText } from './paired.js';
import { readRunRecord, xLabelOf } from './run-facts.js';
import { differenceTable, seedOf, settingsOf, type ComparedRun, type Setting } from './settings.js';

/** Reads the records and metrics of runs, with notes on damaged files. */
export async function readRuns(directories: readonly string[]): Promise<ComparedRun[]> {
  const runs: ComparedRun[] = [];
  for (const directory of directories)
    runs.push({ record: await readRunRecord(directory), metrics: await readMetrics(join(directory, 'metrics.jsonl')) });
  return runs;
}

/**
 * Reads the runs below the folders, groups them by setting (runs whose configs differ only in the seed), and compares the best
 * setting with the next one.
 */
export async function readSettings(directories: readonly string[]): Promise<ComparisonData> {
  const folders = [];
  for (const directory of directories) folders.push(...(await findRuns(directory)));
  const settings = settingsOf(await readRuns([...new Set(folders.map((folder) => resolve(folder)))]));
  const title = settings.length === 1 ? settings[0].name : `${settings.length} settings of ${titlesOf(settings)}`;
  const data = comparisonOf(title, settings);
  const ranked = settings
    .map((setting) => ({ setting, score: meanOutcome(setting) }))
    .filter(({ score }) => score !== null)
    .sort((a, b) => b.score! - a.score!);
  if (ranked.length > 1) await addVerdict(data, ranked[1].setting, ranked[0].setting);
  return data;
}

/** Reads two runs, or two folders of runs, and finds out which of the two is better. */
export async function readSides(first: string, second: string): Promise<ComparisonData> {
  const names = [first, second].map((directory) => basename(resolve(directory)));
  const sides: Setting[] = [];
  for (const [i, directory] of [first, second].entries())
    sides.push({
      name: names[0] === names[1] ? directory : names[i],
      runs: await readRuns(await findRuns(directory)),
    });
  const data = comparisonOf(`${sides[0].name} against ${sides[1].name}`, sides);
  await addVerdict(data, sides[0], sides[1]);
  return data;
}

const titlesOf = (settings: readonly Setting[]): string =>
  [...new Set(settings.flatMap(({ runs }) => runs.map(({ record }) => record.title)))].join(', ');

function meanOutcome({ runs }: Setting): number | null {
  const values = runs.flatMap((run) => firstOutcome(run) ?? []);
  return values.length === 0 ? null : mean(values);
}

function comparisonOf(title: string, settings: readonly Setting[]): ComparisonData {
  const runs = settings.flatMap((setting) => setting.runs);
  const differences = differenceTable(settings);
  const statuses = new Map<string, number>();
  for (const { record } of runs) statuses.set(record.status, (statuses.get(record.status) ?? 0) + 1);
  return {
    kind: 'comparison',
    title,
    verdicts: [],
    warnings: [],
    pairs: [],
    facts: [
      { label: 'Runs', value: [...statuses].map(([status, count]) => `${count} ${status}`).join(', ') },
      { label: 'Settings', value: String(settings.length) },
      { label: 'Seeds', value: [...new Set(runs.map(seedOf))].join(', ') },
      { label: 'Environment and method', value: titlesOf(settings) },
    ],
    tables: [outcomeTable(settings), ...(differences ? [differences] : []), runTable(settings)],
    charts: bandCharts(settings, xLabelOf(runs[0].record)),
    notes: runs.flatMap(({ metrics }) => metrics.torn ?? []),
  };
}

const runTable = (settings: readonly Setting[]) => ({
  title: 'Runs',
  header: ['folder', 'setting', 'seed', 'status', 'rows', 'return'],
  rows: settings.flatMap(({ name, runs }) =>
    runs.map((run) => [
      basename(resolve(run.record.directory)),
      name,
      seedOf(run),
      run.record.status,
      String(run.metrics.rows),
      firstOutcome(run)?.toPrecision(3) ?? '–',
    ]),
  ),
});

async function addVerdict(data: ComparisonData, first: Setting, second: Setting): Promise<void> {
  const result = await pairedDifference(first, second);
  data.verdicts.push(result === null ? unpairedText(first, second) : verdictText(first.name, second.name, result));
  for (const pair of result?.widest ?? []) {
    const sides = await readPair(pair, [first.name, second.name]);
    const gap = pair.second.summary.return - pair.first.summary.return;
    data.pairs.push({
      title: `${pair.first.summary.item ?? pair.first.summary.id}: difference ${gap.toPrecision(3)}`,
      sides,
    });
  }
}

/** The largest number of columns with which a table fits on a terminal. */
const MOST_COLUMNS = 7;

/** Writes a comparison for the terminal: the results of the runs, the config keys that differ, and which one is better. */
export function comparisonText({ tables, verdicts, notes }: ComparisonData): string {
  const shown = tables.filter(({ title, header }) => title !== 'Runs' && header.length <= MOST_COLUMNS);
  const parts = shown.map(({ title, header, rows, notes: below = [] }) =>
    [title, textTable(header, rows), ...below].join('\n'),
  );
  return [...parts, ...verdicts, ...notes].join('\n\n');
}
