// Reads the facts about a run from its folder: its config, times, command and status.
import { basename, join, resolve } from 'node:path';
import type { Fact, RunStatus } from '@bowyer/views';
import type { FinetuneResults } from '../run/finetune-results.js';
import type { RunResults } from '../run/results.js';
import { CONFIG_FILE, recordedConfig, type RecordedConfig } from '../run/recorded-config.js';
import { jsonIfThere, textIfThere } from '../run/read-files.js';
import { isUnderWay } from '../run/run-control.js';
import { readStarts, type Starts } from '../run/start-log.js';

/** The contents of results.json of any task, in this version or an older one. */
type StoredResults = Readonly<Record<string, unknown>> & Partial<RunResults & FinetuneResults & { failures: string[] }>;

export interface RunRecord {
  directory: string;
  /** The options on which the run's results depend; empty if the run was killed before they were written. */
  config: RecordedConfig;
  results: StoredResults | null;
  starts: Starts;
  status: RunStatus;
  /** The environment and the method, as a title for the report. */
  title: string;
  facts: Fact[];
}

/** Throws if the folder contains no run. */
export async function readRunRecord(directory: string): Promise<RunRecord> {
  const [config, results] = await Promise.all([
    textIfThere(join(directory, CONFIG_FILE)),
    jsonIfThere<StoredResults>(join(directory, 'results.json')),
  ]);
  const starts = await readStarts(directory);
  if (config === null && starts.count === 0 && (await textIfThere(join(directory, 'metrics.jsonl'))) === null)
    throw new Error(
      `${directory} contains no run: neither ${CONFIG_FILE} nor metrics.jsonl is there\n  give folders of runs, or of a sweep`,
    );
  const record = {
    directory,
    config: config === null ? {} : recordedConfig(config),
    results,
    starts,
    status: await statusOf(directory, results, starts),
  };
  return { ...record, title: titleOf(record), facts: factsOf(record) };
}

async function statusOf(directory: string, results: StoredResults | null, starts: Starts): Promise<RunStatus> {
  if (starts.end !== null) return starts.end.status;
  if (await isUnderWay(directory)) return 'running';
  if (results === null || starts.count > 0) return 'interrupted';
  return results.stopped === undefined ? 'finished' : 'stopped by the guard';
}

function titleOf({ directory, config }: Pick<RunRecord, 'directory' | 'config'>): string {
  const { name: task = 'train' } = config.task ?? {};
  const algorithm = config.algorithm?.name;
  const method = task === 'train' ? algorithm : [task, algorithm].filter(Boolean).join(' of ');
  return [config.env?.name, method].filter(Boolean).join(' · ') || basename(resolve(directory));
}

function factsOf({ directory, config, starts }: Omit<RunRecord, 'title' | 'facts' | 'status'>): Fact[] {
  const { env, algorithm, policy, task, device } = config;
  const given = task?.model ?? policy?.model ?? policy?.checkpoint;
  const { first, last } = starts;
  const facts: [label: string, value: string | number | null | undefined][] = [
    ['Environment', env?.name],
    ['Method', algorithm?.name],
    ['Seed', config.seed as number | undefined],
    ['Policy', given ?? (algorithm?.name === undefined ? undefined : 'made from scratch')],
    ['Device', device?.kind],
    ['Started', first && readable(first)],
    ['Last line logged', last && readable(last)],
    ['Starts', starts.count > 1 ? starts.count : null],
    ['Commit', starts.commit],
    ['Folder', basename(resolve(directory))],
    ['Command', starts.command],
  ];
  return facts.flatMap(([label, value]) =>
    value === null || value === undefined ? [] : [{ label, value: String(value) }],
  );
}

const readable = (time: string) =>
  time
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
    .slice(0, 23);

export function gammaOf(record: Pick<RunRecord, 'config'>): number {
  const { gamma } = record.config.algorithm ?? {};
  return gamma ?? 1;
}

/** Returns the label of the x axis of charts: optimizer steps in training on a dataset, otherwise iterations. */
export function xLabelOf({ config }: Pick<RunRecord, 'config'>): string {
  return (config.task?.epochs ?? config.algorithm?.epochs) === undefined ? 'iteration' : 'optimizer step';
}
