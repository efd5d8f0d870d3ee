// Writes the log lines of jobs and sweeps as `hydra.job_logging` and `hydra.hydra_logging` set, in the format of Python's
// logging.config (version 1). Supports stream and file handlers, and the fields asctime, name, levelname, message and process.
import { appendFileSync, closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../config-error.js';
import { strftime } from '../interpolation/strftime.js';
import type { PlainObject, PlainValue } from '../node.js';
import type { LogLevel, TextSink } from './program.js';
import { printable } from './printable.js';
import { writeLines } from './terminal-lines.js';

const logLevels: Record<LogLevel, number> = { DEBUG: 10, INFO: 20, WARNING: 30, ERROR: 40, CRITICAL: 50 };

interface LogRecord {
  readonly level: LogLevel;
  readonly logger: string;
  readonly message: string;
  readonly time: Date;
}

interface Handler {
  readonly level: number;
  write(record: LogRecord): void;
  close(): void;
}

interface LoggerSettings {
  level?: number;
  readonly handlers: readonly Handler[];
  readonly propagate: boolean;
}

interface LogOptions {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** The folder to which relative names of log files refer. */
  readonly cwd: string;
  /** `hydra.verbose`: true, or the names of loggers whose level becomes DEBUG. */
  readonly verbose?: PlainValue;
  /** The path of the logging settings in the config, for error messages. */
  readonly keyPath: string;
}

export class JobLog {
  private readonly loggers = new Map<string, LoggerSettings>();
  private readonly handlers = new Map<string, Handler>();
  private consoleLevel = 0;

  /** `settings`: with interpolations resolved; null or `{}` for none. */
  constructor(
    settings: PlainValue | undefined,
    private readonly options: LogOptions,
  ) {
    const { formatters, handlers, loggers, root } = asObject(settings);
    for (const [name, given] of Object.entries(asObject(handlers)))
      this.handlers.set(name, this.handler(name, asObject(given), asObject(formatters)));
    for (const [name, given] of Object.entries(asObject(loggers))) this.loggers.set(name, this.logger(asObject(given)));
    const rootLogger = this.logger(asObject(root));
    this.loggers.set('', { ...rootLogger, level: rootLogger.level ?? logLevels.WARNING });
    this.beVerbose(options.verbose);
  }

  log(level: LogLevel, message: string, logger: string): void {
    if (logLevels[level] < this.levelOf(logger)) return;
    const record: LogRecord = { level, logger, message: printable(message), time: new Date() };
    const handlers = this.handlersOf(logger);
    for (const handler of handlers) if (logLevels[level] >= handler.level) handler.write(record);
    // As in Python's logging, warnings and errors without a handler go to stderr without a format.
    if (handlers.length === 0 && logLevels[level] >= logLevels.WARNING) writeLines(this.options.stderr, message);
  }

  private handlersOf(logger: string): Handler[] {
    const handlers: Handler[] = [];
    for (const name of ancestors(logger)) {
      const settings = this.loggers.get(name);
      handlers.push(...(settings?.handlers ?? []));
      if (settings?.propagate === false) break;
    }
    return handlers;
  }

  /** Limits stream handlers to lines of at least this level; null: no lines. Files get every line. */
  limitConsole(level: LogLevel | null): void {
    this.consoleLevel = level === null ? Infinity : logLevels[level];
  }

  close(): void {
    for (const handler of this.handlers.values()) handler.close();
  }

  private levelOf(logger: string): number {
    for (const name of ancestors(logger)) {
      const level = this.loggers.get(name)?.level;
      if (level !== undefined) return level;
    }
    return logLevels.WARNING;
  }

  private beVerbose(verbose: PlainValue | undefined): void {
    if (verbose === true) this.loggers.get('')!.level = logLevels.DEBUG;
    const names = typeof verbose === 'string' ? [verbose] : Array.isArray(verbose) ? verbose.map(String) : [];
    for (const name of names) {
      const known = this.loggers.get(name);
      if (known) known.level = logLevels.DEBUG;
      else this.loggers.set(name, { level: logLevels.DEBUG, handlers: [], propagate: true });
    }
  }

  private logger({ level, handlers, propagate }: PlainObject): LoggerSettings {
    const names = Array.isArray(handlers) ? handlers.map(String) : [];
    const found = names.map(
      (name) => this.handlers.get(name) ?? this.fail(`names handler '${name}', which is not there`),
    );
    return {
      level: level === undefined ? undefined : this.level(level),
      handlers: found,
      propagate: propagate !== false,
    };
  }

  private level(value: PlainValue): number {
    if (typeof value === 'number') return value;
    const known =
      logLevels[value as LogLevel] ?? { NOTSET: 0, WARN: logLevels.WARNING, FATAL: logLevels.CRITICAL }[String(value)];
    return known ?? this.fail(`has level '${String(value)}'; levels are ${Object.keys(logLevels).join(', ')}`);
  }

  private handler(name: string, given: PlainObject, formatters: PlainObject): Handler {
    const { class: className, formatter, level, stream, filename, mode } = given;
    const format = formatOf(formatter === undefined ? {} : asObject(formatters[String(formatter)]));
    const minimum = level === undefined ? 0 : this.level(level);
    if (className === 'logging.StreamHandler') {
      const sink = stream === 'ext://sys.stdout' ? this.options.stdout : this.options.stderr;
      const write = (record: LogRecord) => {
        if (logLevels[record.level] >= this.consoleLevel) writeLines(sink, format(record));
      };
      return { level: minimum, write, close: () => undefined };
    }
    if (className === 'logging.FileHandler')
      return this.fileHandler(String(filename), mode === 'w' ? 'w' : 'a', minimum, format);
    if (className === 'logging.NullHandler') return { level: minimum, write: () => undefined, close: () => undefined };
    return this.fail(
      `has handler '${name}' of class '${String(className)}'; known are logging.StreamHandler, logging.FileHandler and logging.NullHandler`,
    );
  }

  private fileHandler(
    filename: string,
    mode: 'w' | 'a',
    level: number,
    format: (record: LogRecord) => string,
  ): Handler {
    const file = path.resolve(this.options.cwd, filename);
    let descriptor: number | undefined;
    try {
      descriptor = openSync(file, mode);
    } catch (error) {
      throw new ConfigError(
        'file',
        `Cannot open the log file '${file}': ${(error as NodeJS.ErrnoException).code}`,
        [`${this.options.keyPath} names it`],
        { file, keyPath: this.options.keyPath, cause: error },
      );
    }
    const close = () => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    };
    const write = (record: LogRecord) => {
      if (descriptor === undefined) return;
      try {
        appendFileSync(descriptor, `${format(record)}\n`);
      } catch (error) {
        // If a log file cannot be written, as on a full disk, the job continues.
        process.stderr.write(`the log file ${file} ends here: ${(error as NodeJS.ErrnoException).code}\n`);
        close();
      }
    };
    return { level, write, close };
  }

  private fail(message: string): never {
    const { keyPath } = this.options;
    throw new ConfigError(
      'composition',
      `${keyPath} ${message}`,
      [`correct it, or choose ${keyPath.replace('.', '/')}=default`],
      { keyPath },
    );
  }
}

/** Yields the name of a logger and those of its ancestors: `a.b.c`, `a.b`, `a`, then the root, ''. */
function* ancestors(logger: string): Generator<string> {
  for (let name = logger; name !== ''; name = name.slice(0, Math.max(name.lastIndexOf('.'), 0))) yield name;
  yield '';
}

function asObject(value: PlainValue | undefined): PlainObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Uint8Array)
    ? value
    : {};
}

/** Reads a format such as `[%(asctime)s][%(name)s][%(levelname)s] - %(message)s`; unknown fields are left out. */
function formatOf({ format = '%(message)s', datefmt }: PlainObject): (record: LogRecord) => string {
  const timeText = (time: Date) =>
    typeof datefmt === 'string'
      ? strftime(time, datefmt)
      : `${strftime(time, '%Y-%m-%d %H:%M:%S')},${String(time.getMilliseconds()).padStart(3, '0')}`;
  return ({ level, logger, message, time }) => {
    const fields: Record<string, string> = {
      asctime: timeText(time),
      name: logger === '' ? 'root' : logger,
      levelname: level,
      message,
      process: String(process.pid),
    };
    return String(format).replace(/%\((\w+)\)(-?\d+)?[sd]/g, (_, field: string, width?: string) => {
      const text = fields[field] ?? '';
      if (width === undefined) return text;
      return width.startsWith('-') ? text.padEnd(Number(width.slice(1))) : text.padStart(Number(width));
    });
  };
}
