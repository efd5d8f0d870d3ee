// Finds the runs below a folder for the dashboard, and looks for new ones every few seconds. Requests of the page name runs by
// their id in this index, never by a path.
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { RunSummary } from '@bowyer/views';
import { isPaused, isUnderWay } from '../../run/run-control.js';
import { wholeLines } from '../../run/read-files.js';
import { readRunRecord } from '../../report/run-facts.js';
import { CONFIG_FILE } from '../../run/recorded-config.js';

const DEEPEST = 6;
/** The names of folders that are not searched, since they belong to a run or to a tool and contain no runs. */
const SKIPPED = new Set(['checkpoints', 'trajectories', 'node_modules', 'tensorboard', 'wandb', 'warm-starts']);
const SCAN_MS = 2000;
/** The number of bytes read from the end of metrics.jsonl, which are enough for its last rows. */
const TAIL_BYTES = 256 * 1024;

interface Known {
  directory: string;
  /** A text that changes whenever a file of the run changes. */
  stamp: string;
  summary: RunSummary;
}

export class RunIndex {
  readonly #runs = new Map<string, Known>();
  #scannedAt = -Infinity;
  #scanning: Promise<void> | null = null;

  private constructor(private readonly root: string) {}

  /** Throws if the folder does not exist. */
  static async open(root: string): Promise<RunIndex> {
    const found = await stat(root).catch(() => null);
    if (!found?.isDirectory())
      throw new Error(`task.dir: ${root} is not a folder\n  give the folder with your runs: task.dir=outputs`);
    const index = new RunIndex(root);
    await index.list();
    return index;
  }

  get size(): number {
    return this.#runs.size;
  }

  /**
   * Lists all runs, the most recently changed first. It searches the folder again if the last search is older than two seconds.
   */
  async list(): Promise<RunSummary[]> {
    if (performance.now() - this.#scannedAt > SCAN_MS)
      await (this.#scanning ??= this.#scan().finally(() => (this.#scanning = null)));
    return [...this.#runs.values()].map(({ summary }) => summary).sort((a, b) => b.changed - a.changed);
  }

  /** Null for anything that is not in the list. */
  directoryOf(id: string): string | null {
    return this.#runs.get(id)?.directory ?? null;
  }

  async #scan(): Promise<void> {
    const found = new Set<string>();
    for await (const directory of runFolders(this.root, 0)) {
      const id = relative(this.root, directory) || '.';
      found.add(id);
      const stamp = await stampOf(directory);
      if (this.#runs.get(id)?.stamp === stamp) continue;
      // A run whose files cannot be read is left out until they change.
      const summary = await summaryOf(id, directory).catch(() => null);
      if (summary !== null) this.#runs.set(id, { directory, stamp, summary });
    }
    for (const id of this.#runs.keys()) if (!found.has(id)) this.#runs.delete(id);
    this.#scannedAt = performance.now();
  }
}

/** Finds the folders of runs below a folder. Symbolic links are not followed, since they may lead out of the folder. */
async function* runFolders(folder: string, depth: number): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isRun = entries.some(
    (entry) => entry.isFile() && [CONFIG_FILE, 'starts.jsonl', 'metrics.jsonl'].includes(entry.name),
  );
  if (isRun) yield folder;
  if (isRun || depth === DEEPEST) return;
  for (const entry of entries)
    if (entry.isDirectory() && !entry.name.startsWith('.') && !SKIPPED.has(entry.name))
      yield* runFolders(join(folder, entry.name), depth + 1);
}

async function stampOf(directory: string): Promise<string> {
  const names = ['metrics.jsonl', 'results.json', 'starts.jsonl', 'paused', CONFIG_FILE, 'trajectories/test.jsonl'];
  const stats = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => null)));
  // The stamp contains whether the run is alive, but not the time of its lock file, which changes with every heartbeat.
  const isAlive = await isUnderWay(directory);
  return [...stats.map((one) => (one === null ? '-' : `${one.size}@${one.mtimeMs}`)), isAlive].join();
}

async function summaryOf(id: string, directory: string): Promise<RunSummary> {
  const { title, status, config } = await readRunRecord(directory);
  const path = join(directory, 'metrics.jsonl');
  const rows = await lastRows(path);
  const latest = (keys: readonly string[]) => {
    for (const key of keys) {
      const row = rows.findLast((candidate) => typeof candidate[key] === 'number');
      if (row !== undefined) return row[key];
    }
    return null;
  };
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  return {
    id,
    title,
    status,
    paused: status === 'running' && isPaused(directory),
    seed: number(config.seed),
    iteration: rows.at(-1)?.iteration ?? null,
    iterations: await iterationsOf(directory),
    return: latest(['eval/episodic_return', 'rollout/episodic_return']),
    winRate: latest(['eval/win_rate', 'rollout/win_rate']),
    changed: (await stat(path).catch(() => stat(directory))).mtimeMs,
  };
}

/**
 * Reads the number of iterations from the config with which the run was last started. run-config.json does not have it, since a
 * resumed run may have more.
 */
async function iterationsOf(directory: string): Promise<number | null> {
  const yaml = await readFile(join(directory, '.hydra', 'config.yaml'), 'utf8').catch(() => '');
  const text = /^(?: {2})?iterations: (\d+)$/m.exec(yaml)?.[1];
  return text === undefined ? null : Number(text);
}

/** Reads the last rows of a JSONL file that may be very long; a row that is only partly written is left out. */
async function lastRows(path: string): Promise<Record<string, number>[]> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size === 0) return [];
  const pieces: Buffer[] = [];
  const start = Math.max(0, size - TAIL_BYTES);
  for await (const piece of createReadStream(path, { start }) as AsyncIterable<Buffer>) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  return wholeLines(start > 0 ? text.slice(text.indexOf('\n') + 1) : text);
}
