// Writes and reads a run's files of metrics and episodes, and reserves the run's folder for one config.
import { access, constants, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Trajectory,
  toSnakeCase,
  writeFileAtomically,
  fromRecord,
  toRecord,
  type TrajectoryRecord,
  JsonlFile,
  PartedJsonl,
  readJsonl,
  readPartedJsonl,
  type TokenTexts,
} from '@bowyer/core';
import type { Metrics } from '@bowyer/algorithms';
import { CONFIG_FILE, recordedConfig } from './recorded-config.js';
import { hasResults } from './failed-run.js';
import { metricsLine } from './metrics-line.js';

/** The JSONL files whose final contents are the same whether or not the run was killed and resumed. */
const RESUMED_FILES = ['metrics.jsonl', 'trajectories/rollout.jsonl', 'trajectories/eval.jsonl'] as const;

/** The number of episodes of each evaluation that are stored: the first ones, whose items are the same in every evaluation. */
const STORED_EVALUATIONS = 8;

export interface RecordedFiles {
  readonly directory: string;
  /** In bytes, for checkpoints; a resumed run keeps that much of each file. */
  readonly lengths: Record<string, number>;
  logMetrics(iteration: number, metrics: Metrics): Promise<void>;
  logRollout(iteration: number, rollout: readonly Trajectory[]): Promise<void>;
  logEvaluation(iteration: number, episodes: readonly Trajectory[]): Promise<void>;
  logTimings(iteration: number, seconds: Record<string, number>): Promise<void>;
}

export class RunFiles implements RecordedFiles {
  private constructor(
    readonly directory: string,
    private readonly metrics: JsonlFile,
    private readonly rollouts: PartedJsonl,
    /** The file of wall-clock times. They are not in metrics.jsonl, since they differ between otherwise equal runs. */
    private readonly timings: JsonlFile,
    private readonly evaluations: JsonlFile,
    private readonly tokenTexts: TokenTexts | undefined,
  ) {}

  /**
   * @param lengths the number of bytes to keep of each file, from the checkpoint from which the run resumes
   * @param tokenTexts returns the texts of tokens, which are stored with the episodes; without it only token ids are stored
   */
  static async open(directory: string, lengths: Record<string, number>, tokenTexts?: TokenTexts): Promise<RunFiles> {
    const [metricsName, rolloutsName, evaluationsName] = RESUMED_FILES;
    const at = (name: string) => [join(directory, name), lengths[name] ?? 0] as const;
    const metrics = await JsonlFile.open(...at(metricsName));
    const rollouts = await PartedJsonl.open(...at(rolloutsName));
    const evaluations = await JsonlFile.open(...at(evaluationsName));
    const timings = await JsonlFile.open(join(directory, 'timings.jsonl'), null);
    return new RunFiles(directory, metrics, rollouts, timings, evaluations, tokenTexts);
  }

  get lengths(): Record<string, number> {
    const files = [this.metrics, this.rollouts, this.evaluations];
    return Object.fromEntries(RESUMED_FILES.map((name, i) => [name, files[i].bytes]));
  }

  async logMetrics(iteration: number, metrics: Metrics): Promise<void> {
    await this.metrics.appendLines(metricsLine(iteration, metrics));
  }

  async logRollout(iteration: number, rollout: readonly Trajectory[]): Promise<void> {
    await this.rollouts.append(...rollout.map((trajectory) => toRecord(trajectory, iteration, this.tokenTexts)));
  }

  async logEvaluation(iteration: number, episodes: readonly Trajectory[]): Promise<void> {
    const stored = episodes.slice(0, STORED_EVALUATIONS);
    await this.evaluations.append(...stored.map((trajectory) => toRecord(trajectory, iteration, this.tokenTexts)));
  }

  async logTimings(iteration: number, seconds: Record<string, number>): Promise<void> {
    await this.timings.append({ iteration, ...seconds });
  }

  /** Oldest first. An incomplete last line is ignored. @throws if another line is damaged, with the file and the line */
  static async read(directory: string): Promise<{ metrics: Record<string, number>[]; rollouts: Trajectory[] }> {
    const metrics: Record<string, number>[] = [];
    const rollouts: Trajectory[] = [];
    await readJsonl<Record<string, number>>(join(directory, RESUMED_FILES[0]), (row) => metrics.push(row));
    await readPartedJsonl<TrajectoryRecord>(join(directory, RESUMED_FILES[1]), (record) =>
      rollouts.push(fromRecord(record)),
    );
    return { metrics, rollouts };
  }
}

/**
 * @param config the options on which the run's results depend
 * @returns `failed` if the folder has a run with another config and without results
 * @throws if the folder cannot be written, or has results of a run with another config
 */
export async function openDirectory(directory: string, config: Record<string, unknown>): Promise<'own' | 'failed'> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw new Error(
      `cannot write to the run's folder '${directory}' (${(error as NodeJS.ErrnoException).code})\n` +
        '  choose another one: save_path=FOLDER',
    );
  }
  const earlier = await readFile(join(directory, CONFIG_FILE), 'utf8').catch(() => null);
  const changes = earlier === null ? [] : differences(recordedConfig(earlier), JSON.parse(JSON.stringify(config)));
  if (changes.length === 0) return 'own';
  if (!(await hasResults(directory))) return 'failed';
  throw new Error(
    `the folder '${directory}' contains a run with another config:\n` +
      changes.map((change) => `  ${change}\n`).join('') +
      '  to resume that run give it the same config; for a new run choose another folder: save_path=FOLDER',
  );
}

/**
 * Writes the config into the folder, which reserves it for runs with this config. It is called once all models and data that the
 * run needs have been found.
 */
export async function claimDirectory(directory: string, config: Record<string, unknown>): Promise<void> {
  await writeFileAtomically(join(directory, CONFIG_FILE), `${JSON.stringify(config, null, 1)}\n`);
}

/** Options whose default was another value in earlier versions and is null now, with the same meaning. */
const FORMER_DEFAULTS: Readonly<Record<string, unknown>> = { 'env.numProducts': 2400, 'env.numGoals': 500 };

/** Lists the values that differ between two configs, as `key.path: before → now`, with keys in snake_case. */
function differences(before: unknown, now: unknown, path = ''): string[] {
  const isTree = (value: unknown): value is Record<string, unknown> =>
    value !== null && typeof value === 'object' && !Array.isArray(value);
  if ((isTree(before) || before === undefined) && (isTree(now) || now === undefined)) {
    const [was, is] = [before ?? {}, now ?? {}];
    const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return keys.flatMap((key) => differences(was[key], is[key], path ? `${path}.${key}` : key));
  }
  // A key that does not exist in the other version counts as null.
  const [was, is] = [JSON.stringify(before ?? null), JSON.stringify(now ?? null)];
  if (was === is || (now === null && FORMER_DEFAULTS[path] === before)) return [];
  const shown = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value));
  return [`${toSnakeCase(path)}: ${shown(before)} → ${shown(now)}`];
}
