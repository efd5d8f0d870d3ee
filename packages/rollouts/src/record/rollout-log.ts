// Stores recorded rollouts in an append-only log of files in a folder, which one process writes and others may read.
import { join } from 'node:path';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { holderMessage, namingFile, readProblem, withFileLock } from '@bowyer/core';
import { lineOf } from './log-line.js';
import { rolloutOf, type LogEvent } from './log-event.js';
import { damaged, partPath, partsOf, readEvent, readPart, type Place } from './log-parts.js';
import { LogWriter } from './log-writer.js';
import type { RecordedRollout } from './recorded.js';
import { RolloutIndex } from './rollout-index.js';

export interface RolloutLogOptions {
  /** The size of a log file in bytes at which the next file is begun; 64 MiB if not given. */
  partBytes?: number;
  /** The largest total size of the log's files in bytes; beyond it, the oldest files are removed. No limit if not given. */
  mostBytes?: number;
  /** The largest number of ended rollouts that can be found by id; 16,384 if not given. The log contains all of them. */
  mostEnded?: number;
}

const usual: Required<RolloutLogOptions> = { partBytes: 64 << 20, mostBytes: Infinity, mostEnded: 16_384 };

export class RolloutLog {
  private constructor(
    readonly folder: string,
    private readonly index: RolloutIndex,
    private readonly writer: LogWriter,
    private readonly release: () => Promise<void>,
    /** The number of bytes removed at the opening: an incomplete last line, which a killed process leaves. */
    readonly cutBytes: number,
  ) {}

  /**
   * Opens the log in a folder, which is created if it is missing. An incomplete last line is removed. @throws if another running
   * process writes this log, or a line before the last is damaged
   */
  static async open(folder: string, options: RolloutLogOptions = {}): Promise<RolloutLog> {
    const { partBytes, mostBytes, mostEnded } = { ...usual, ...options };
    await namingFile(folder, () => mkdir(folder, { recursive: true }));
    const release = await own(folder);
    try {
      const index = new RolloutIndex(mostEnded);
      const { ends, cutBytes } = await readParts(folder, index);
      const onRemoved = (part: number) => index.forget(part);
      const writer = await LogWriter.open(folder, ends, { partBytes, mostBytes, onRemoved });
      return new RolloutLog(folder, index, writer, release, cutBytes);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Appends an event to the log. @returns its position, once it is on disk */
  async append(event: LogEvent): Promise<Place> {
    const place = await this.writer.append(lineOf(event));
    this.index.add(event, place);
    return place;
  }

  /** Returns the events of a rollout with their positions in the log; an empty list if the rollout is unknown. */
  async events(id: string): Promise<{ event: LogEvent; place: Place }[]> {
    const places = this.index.places(id) ?? [];
    const events = await eventsAt(this.folder, places);
    return events.map((event, i) => ({ event, place: places[i] }));
  }

  async eventAt(place: Place): Promise<LogEvent> {
    return (await eventsAt(this.folder, [place]))[0];
  }

  /** Returns whether a rollout with this id can be found, whether it has ended or not. */
  has(id: string): boolean {
    return this.index.places(id) !== undefined;
  }

  /** Returns the ids of the rollouts that have not ended. */
  get open(): string[] {
    return [...this.index.open];
  }

  async read(id: string): Promise<RecordedRollout | null> {
    const places = this.index.places(id);
    return places ? rolloutOf(id, await eventsAt(this.folder, places)) : null;
  }

  /** Waits until the appended events are on disk, and unlocks the folder. */
  async close(): Promise<void> {
    await this.writer.close();
    await this.release();
  }
}

/**
 * Reads all rollouts of a folder, ended ones first, even while another process writes. Only one rollout at a time is in memory.
 */
export async function* readRollouts(folder: string): AsyncGenerator<RecordedRollout> {
  const index = new RolloutIndex(Infinity);
  await readParts(folder, index);
  for (const id of index.ids()) {
    const events = await unlessGone(eventsAt(folder, index.places(id)!));
    if (events !== null) yield rolloutOf(id, events);
  }
}

/** Returns the result of a read, or null if the file is gone, since the log's writer removes its oldest files. */
const unlessGone = <T>(read: Promise<T>): Promise<T | null> =>
  read.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** Returns the offset after each file's last complete line, and the number of bytes after it in the newest file. */
async function readParts(
  folder: string,
  index: RolloutIndex,
): Promise<{ ends: Map<number, number>; cutBytes: number }> {
  const parts = await partsOf(folder);
  const ends = new Map<number, number>();
  let cutBytes = 0;
  for (const part of parts) {
    const path = partPath(folder, part);
    let bad: number | null = null;
    const reading = readPart<LogEvent>(path, 0, (event, offset, bytes) => {
      if (bad !== null) throw damaged(path, bad); // a killed process damages only the end of the last part
      if (event === null) bad = offset;
      else index.add(event, { part, offset, bytes });
    });
    const read = await unlessGone(reading);
    if (read === null) continue;
    const end = bad ?? read.end;
    if (end < read.size && part !== parts.at(-1)) throw damaged(path, end);
    ends.set(part, end);
    cutBytes = read.size - end;
  }
  return { ends, cutBytes };
}

/** Opens a log file for reading. @throws the system's error if the file is missing, otherwise an error with an explanation */
function opened(path: string): Promise<FileHandle> {
  return open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw error;
    throw new Error(`cannot read ${path}: ${readProblem(error)}`, { cause: error });
  });
}

async function eventsAt(folder: string, places: readonly Place[]): Promise<LogEvent[]> {
  const files = new Map<number, FileHandle>();
  try {
    const events: LogEvent[] = [];
    for (const place of places) {
      const path = partPath(folder, place.part);
      const file = files.get(place.part) ?? (await opened(path));
      files.set(place.part, file);
      events.push(await readEvent<LogEvent>(file, path, place));
    }
    return events;
  } finally {
    for (const file of files.values()) await file.close();
  }
}

/** Locks the log's folder for writing. @returns a function that unlocks it @throws if another running process has locked it */
async function own(folder: string): Promise<() => Promise<void>> {
  let leave!: () => void;
  const left = new Promise<void>((resolve) => (leave = resolve));
  let ended!: Promise<void>;
  await new Promise<void>((resolve, reject) => {
    const work = () => {
      resolve();
      return left;
    };
    ended = withFileLock(join(folder, 'rollouts.lock'), work, {
      protects: [folder],
      refuse: (holder) =>
        new Error(
          holderMessage(
            holder,
            (who) => `${who} records in ${folder}`,
            'wait for its end or stop it, or record into another folder',
          ),
        ),
    });
    ended.catch(reject);
  });
  return () => {
    leave();
    return ended;
  };
}
