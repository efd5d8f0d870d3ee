// Reads the data of a run's report from the files in its folder.
import { join } from 'node:path';
import { readJsonl } from '@bowyer/core';
import type { EpisodeSummary, RunData, RunStatus, Table } from '@bowyer/views';
import { finetuneTable } from '../run/finetune-results.js';
import { textIfThere } from '../run/read-files.js';
import { failuresText, resultHeader, resultNotes, resultRows, type RunResults } from '../run/results.js';
import { taskRows, type TaskResult } from '../run/breakdown.js';
import { chartSpecs } from './charts.js';
import { chosenEpisodes, listEpisodes, readDialogues } from './episodes.js';
import { metricTable, readMetrics } from './metric-table.js';
import { rewardAudit } from './reward-audit.js';
import { gammaOf, readRunRecord, xLabelOf, type RunRecord } from './run-facts.js';
import { warningsOf } from './warnings.js';

/** The largest number of episodes in the report's list; if there are more, every n-th is listed. */
const LISTED = 5000;

interface RunDataOptions {
  /** The run's status, given if its folder does not record it yet. */
  status?: RunStatus;
}

/**
 * Reads a run in any state, of this version or an older one.
 *
 * @throws if the folder contains no run, or if a file is damaged anywhere except at its end
 */
export async function readRun(directory: string, { status }: RunDataOptions = {}): Promise<RunData> {
  const record = await readRunRecord(directory);
  const gamma = gammaOf(record);
  const metrics = await readMetrics(join(directory, 'metrics.jsonl'));
  const warmStart = await warmStartLoss(directory);
  if (warmStart !== null) metrics.columns.set('warm_start/nll', warmStart);
  const list = await listEpisodes(directory, gamma);
  const charts = chartSpecs(record.results?.optimalReturn ?? null);
  const { dialogues, rollouts } = await readDialogues(list, gamma, chosenEpisodes(list.episodes));
  const end = record.starts.end;
  return {
    kind: 'run',
    title: record.title,
    status: status ?? record.status,
    facts: record.facts,
    warnings: warningsOf({ metrics, results: record.results, failure: end?.status === 'failed' ? end.reason : null }),
    tables: runTables(record),
    ...(rollouts && { audit: rewardAudit(rollouts.audited) }),
    ...answersOf(record),
    metrics: metricTable(metrics, new Set(charts.flatMap(({ keys }) => keys)), xLabelOf(record)),
    charts,
    episodes: everyNth(list.episodes),
    episodeCount: list.episodes.length,
    dialogues,
    config: (await textIfThere(join(directory, '.hydra', 'config.yaml'))) ?? JSON.stringify(record.config, null, 1),
    notes: [...(metrics.torn === null ? [] : [metrics.torn]), ...list.notes],
  };
}

/** Null without a warm start. */
async function warmStartLoss(directory: string): Promise<{ x: number[]; y: number[] } | null> {
  const column = { x: [] as number[], y: [] as number[] };
  let epoch = 0;
  const add = ({ 'losses/nll': loss }: { 'losses/nll'?: number | null }) => {
    if (loss === undefined) return;
    epoch++;
    if (loss === null) return; // the logged loss was not finite
    column.x.push(epoch);
    column.y.push(loss);
  };
  await readJsonl(join(directory, 'warm-start.jsonl'), add).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return column.x.length === 0 ? null : column;
}

const answersOf = ({ results }: RunRecord): Pick<RunData, 'answers'> =>
  results?.answers === undefined ? {} : { answers: results.answers };

export function runTables({ results }: RunRecord): Table[] {
  if (results === null) return [];
  const { models, policies, failures = [], tasks = {} } = results;
  if (models !== undefined) {
    return [{ title: 'Loss of the models', ...finetuneTable({ models }) }];
  }
  if (!Array.isArray(policies)) return [];
  const own = results as typeof results & RunResults;
  const tested = {
    title: 'Final test',
    header: resultHeader,
    rows: resultRows({ policies }),
    notes: [...resultNotes(own), ...failuresText(failures)],
  };
  return [tested, ...Object.entries(tasks).flatMap(([name, rows]) => (rows.length > 0 ? [taskTable(name, rows)] : []))];
}

const taskTable = (name: string, tasks: readonly TaskResult[]): Table => ({
  title: `By task: ${name}`,
  folded: true,
  header: ['task', 'episodes', 'return', 'win'],
  rows: taskRows(tasks),
});

function everyNth(episodes: readonly EpisodeSummary[]): EpisodeSummary[] {
  const step = Math.ceil(episodes.length / LISTED);
  return step <= 1 ? [...episodes] : episodes.filter((_, i) => i % step === 0);
}
