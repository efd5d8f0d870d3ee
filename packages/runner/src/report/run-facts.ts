// The record of a run, read from its folder: what was run, when, with which command, and how it stands.
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Fact, RunStatus } from '@bowyer/views';
import type { FinetuneResults } from '../run/finetune-results.js';
import type { RunResults } from '../run/results.js';
import { CONFIG_FILE } from '../run/run-files.js';
import { isUnderWay } from '../run/run-control.js';
import { readStarts, type Starts } from '../run/start-log.js';

/** The contents of results.json: those of the task that wrote it, in this version or an older one. */
type StoredResults = Readonly<Record<string, unknown>> & Partial<RunResults & FinetuneResults & { failures: string[] }>;

export interface RunRecord {
  directory: string;
  /** The keys that decided the numbers, in camelCase; empty where the run was killed before they were written. */
  config: Record<string, unknown>;
  results: StoredResults | null;
  starts: Starts;
  status: RunStatus;
  /** Environment and method. */
  title: string;
  facts: Fact[];
}

/**
 * Reads what a run's folder says of it.
 *
 * @throws if the folder contains no run
 */
export async function readRunRecord(directory: string): Promise<RunRecord> {
  const [config, results] = await Promise.all([
    readJson(join(directory, CONFIG_FILE)),
    readJson(join(directory, 'results.json')),
  ]);
  const starts = await readStarts(directory);
  if (config === null && starts.count === 0 && (await textOf(join(directory, 'metrics.jsonl'))) === null)
    throw new Error(
      `${directory} contains no run: neither ${CONFIG_FILE} nor metrics.jsonl is there\n  give folders of runs, or of a sweep`,
    );
  const record = {
    directory,
    config: config ?? {},
    results: results as StoredResults | null,
    starts,
    status: await statusOf(directory, results, starts),
  };
  return { ...record, title: titleOf(record), facts: factsOf(record) };
}

async function statusOf(
  directory: string,
  results: Record<string, unknown> | null,
  starts: Starts,
): Promise<RunStatus> {
  if (starts.end !== null) return starts.end.status;
  if (await isUnderWay(directory)) return 'running';
  if (results === null || starts.count > 0) return 'interrupted';
  return results.stopped === undefined ? 'finished' : 'stopped by the guard';
}

/** Returns the name of a run's environment; undefined for agents, which have none. */
export const environmentName = (config: Record<string, unknown>) => (config.env as { name?: string } | undefined)?.name;

/** Returns the options of a run's task; a run of version 0.2 has its name alone. */
export const taskOf = ({ task }: Record<string, unknown>): { name?: string; model?: string; epochs?: number } =>
  typeof task === 'string' ? { name: task } : (task ?? {});

function titleOf({ directory, config }: Pick<RunRecord, 'directory' | 'config'>): string {
  const { agentType } = config as { agentType?: string };
  const { name: task } = taskOf(config);
  const env = environmentName(config);
  const method = task === 'train' || task === undefined ? agentType : [task, agentType].filter(Boolean).join(' of ');
  return [env, method].filter(Boolean).join(' · ') || basename(resolve(directory));
}

function factsOf({ directory, config, starts }: Omit<RunRecord, 'title' | 'facts' | 'status'>): Fact[] {
  const { agentType, seed, policyLm, checkpointPath, device, ...old } = config as Record<string, string | undefined>;
  const { model = old.model } = taskOf(config);
  const { first, last } = starts;
  const facts: [label: string, value: string | number | null | undefined][] = [
    ['Environment', environmentName(config)],
    ['Method', agentType],
    ['Seed', seed],
    ['Policy', model ?? policyLm ?? checkpointPath ?? (agentType === undefined ? undefined : 'made from scratch')],
    ['Device', device],
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

/** Returns the options of the algorithm; runs of version 0.2 have them beside the others. */
const algorithmOf = ({ config }: Pick<RunRecord, 'config'>): Readonly<Record<string, unknown>> =>
  (config.algorithm as Readonly<Record<string, unknown>> | undefined) ?? config;

/** Returns the discount per turn; 1 where the algorithm has none. */
export function gammaOf(record: Pick<RunRecord, 'config'>): number {
  const { gamma } = algorithmOf(record);
  return typeof gamma === 'number' ? gamma : 1;
}

/** Returns what metrics count: optimizer steps where there is a dataset, else iterations. */
export function xLabelOf(record: Pick<RunRecord, 'config'>): string {
  const { rolloutSize, rollout, ...own }: Readonly<Record<string, unknown>> = {
    ...record.config,
    ...algorithmOf(record),
  };
  const { epochs = own.epochs } = taskOf(record.config);
  const collects = rolloutSize !== undefined || (rollout as { size?: number } | undefined)?.size !== undefined;
  return !collects && epochs !== undefined ? 'optimizer step' : 'iteration';
}

export async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function readJson(path: string): Promise<Record<string, unknown> | null> {
  const text = await textOf(path);
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}
