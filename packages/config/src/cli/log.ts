// Log lines of the program and its jobs, as `hydra.job_logging` and `hydra.hydra_logging` describe them: handlers to the console
// and to files, a format and a level. Only what those settings can say is here.
import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { strftime } from '../interpolation/strftime.js';
import type { PlainObject, PlainValue } from '../node.js';

const levels = { NOTSET: 0, DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, CRITICAL: 50 } as const;
export type LogLevel = Exclude<keyof typeof levels, 'NOTSET'>;

export interface Streams {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export type Log = (level: LogLevel, message: string, name?: string) => void;

const asObject = (value: PlainValue | undefined): PlainObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array) ? value : {};

/** 2026-01-31 12:00:00,042 */
function timestamp(time: Date): string {
  return `${strftime(time, '%Y-%m-%d %H:%M:%S')},${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/**
 * A log by a logging dictionary. Files named in it are created at once, even if nothing is ever written to them.
 *
 * @param settings `hydra.job_logging`, resolved
 * @param verbose `hydra.verbose`: true lowers every logger to DEBUG, names only those
 */
export function openLog(settings: PlainValue | undefined, verbose: PlainValue | undefined, streams: Streams, clock: () => Date): Log {
  const { root, handlers, formatters } = asObject(settings);
  const rootSettings = asObject(root);
  const names = Array.isArray(rootSettings.handlers) ? rootSettings.handlers : [];
  const writers = names.map((name) => openHandler(asObject(asObject(handlers)[String(name)]), asObject(formatters), streams));
  const rootLevel = levels[String(rootSettings.level) as LogLevel] ?? levels.WARNING;
  const verboseNames = Array.isArray(verbose) ? verbose.map(String) : typeof verbose === 'string' ? [verbose] : [];
  return (level, message, name = 'main') => {
    const least = verbose === true || verboseNames.includes(name) ? levels.DEBUG : rootLevel;
    if (levels[level] < least) return;
    for (const write of writers) write({ asctime: timestamp(clock()), name, levelname: level, message });
  };
}

type Writer = (record: Readonly<Record<string, string>>) => void;

function openHandler(handler: PlainObject, formatters: PlainObject, { stdout, stderr }: Streams): Writer {
  const format = asObject(formatters[String(handler.formatter)]).format;
  const line = (record: Readonly<Record<string, string>>) => {
    const text = typeof format === 'string' ? format : '%(message)s';
    return `${text.replace(/%\((\w+)\)s/g, (whole, key: string) => record[key] ?? whole)}\n`;
  };
  if (typeof handler.filename === 'string') {
    const file = path.resolve(handler.filename);
    if (handler.delay !== true) {
      mkdirSync(path.dirname(file), { recursive: true });
      appendFileSync(file, '');
    }
    return (record) => appendFileSync(file, line(record));
  }
  const write = handler.stream === 'ext://sys.stdout' ? stdout : stderr;
  return (record) => write(line(record));
}
