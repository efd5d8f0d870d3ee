// What a person watching a sweep sees: on a terminal one line for each job, those at work with their latest output; in a pipe
// or a file one line when a job starts and one when it ends.
import { duration, type ProgressOutput } from '@bowyer/logging';
import type { JobOutcome } from './sweep-job.js';

interface Row {
  label: string;
  startedAt: number;
  text: string;
}

/** Redraws per second on a terminal. */
const FRAME_SECONDS = 0.1;

/** `[2026-11-21 11:51:51,357][run][INFO] - `: what a line of a job's log begins with. */
const LOG_PREFIX = /^\[\d{4}-[^\]]*\](\[[^\]]*\])+ - /;

export class JobBoard {
  readonly #rows = new Map<number, Row>();
  readonly #counts = { finished: 0, failed: 0, stopped: 0, submitted: 0 };
  #drawnLines = 0;
  #lastDrawn = -Infinity;

  /**
   * @param total starts that are expected, null where that is not known in advance
   * @param clock seconds
   */
  constructor(
    private readonly output: ProgressOutput,
    private readonly total: number | null,
    private readonly clock: () => number = () => performance.now() / 1000,
  ) {}

  started(number: number, label: string): void {
    this.#rows.set(number, { label, startedAt: this.clock(), text: 'starting' });
    if (this.output.isTTY) this.refresh();
    else this.output.write(`${label}: started\n`);
  }

  /** The job printed a line. */
  says(number: number, line: string): void {
    const row = this.#rows.get(number);
    if (!row) return;
    row.text = line.replace(LOG_PREFIX, '').trim();
    if (this.clock() - this.#lastDrawn >= FRAME_SECONDS) this.refresh();
  }

  /** @param details further lines worth reading, such as the end of a failed job's log */
  ended(number: number, { status, note, seconds, metrics }: JobOutcome, details: readonly string[] = []): void {
    const label = this.#rows.get(number)?.label ?? `#${number}`;
    this.#rows.delete(number);
    this.#counts[status]++;
    const figures = Object.entries(metrics).flatMap(([key, value]) =>
      value === null ? [] : [`${key} ${figure(value)}`],
    );
    const words = [`${label}: ${status} after ${duration(seconds)}`, note, ...figures].filter(Boolean);
    this.say([words.join(', '), ...details.map((line) => `  ${line}`)].join('\n'));
  }

  /** Prints lines that stay. */
  say(text: string): void {
    this.#erase();
    this.output.write(`${text}\n`);
    this.refresh();
  }

  /** Draws the lines of the running jobs again. */
  refresh(): void {
    if (!this.output.isTTY) return;
    const now = this.clock();
    this.#lastDrawn = now;
    const width = (this.output.columns ?? 120) - 1;
    const rows = [...this.#rows.values()].map((row) => `${row.label}  ${duration(now - row.startedAt)}  ${row.text}`);
    const lines = rows.length > 0 ? [...rows, this.#totals()] : [];
    this.#erase();
    this.output.write(lines.map((line) => `${line.slice(0, width)}\n`).join(''));
    this.#drawnLines = lines.length;
  }

  #totals(): string {
    const { finished, failed, stopped } = this.#counts;
    const done = finished + failed + stopped;
    const parts = [`${done}${this.total === null ? '' : `/${this.total}`} done`, `${this.#rows.size} at work`];
    if (failed > 0) parts.push(`${failed} failed`);
    return parts.join(', ');
  }

  #erase(): void {
    if (this.#drawnLines > 0) this.output.write(`\x1b[${this.#drawnLines}A\r\x1b[J`);
    this.#drawnLines = 0;
  }
}

/** Four significant digits, and never more than the number has. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(4)));
}
