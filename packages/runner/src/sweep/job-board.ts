// Shows the progress of a sweep: on a terminal a table of its jobs, with the latest output of those that run; in a pipe or a file
// a line when a job starts and a line when it ends; for scripts JSON objects instead of lines.
import { printable } from '@bowyer/config';
import { maximum } from '@bowyer/core';
import { duration, type LiveText, type ProgressOutput } from '@bowyer/logging';
import type { JobOutcome, JobStatus } from './sweep-job.js';

interface Row {
  label: string;
  startedAt: number;
  status: 'at work' | JobStatus;
  /** The duration of a job that has ended, in seconds; null while it runs. */
  seconds: number | null;
  /** The latest output or metrics of the job. */
  text: string;
}

/** Matches the prefix of a line in a job's log: `[2026-11-21 11:51:51,357][run][INFO] - `. */
const LOG_PREFIX = /^\[\d{4}-[^\]]*\](\[[^\]]*\])+ - /;

/** A share of the terminal's width. Longer labels are cut, so that the latest output is visible at 80 columns. */
const LABEL_SHARE = 0.4;

export class JobBoard {
  readonly #rows = new Map<number, Row>();

  /**
   * @param total the expected number of times that a job is started; null where it is not known in advance
   * @param clock returns seconds
   */
  constructor(
    private readonly output: ProgressOutput,
    private readonly total: number | null,
    private readonly clock: () => number = () => performance.now() / 1000,
  ) {}

  started(number: number, label: string): void {
    this.#rows.set(number, { label, startedAt: this.clock(), status: 'at work', seconds: null, text: 'starting' });
    if (this.output.report) this.output.report({ event: 'job', job: number, label, status: 'started' });
    else if (this.output.live) this.output.live.show(this.lines);
    else this.output.write(`${label}: started\n`);
  }

  /** Shows a line that a job has printed as its latest output. */
  says(number: number, line: string): void {
    const row = this.#rows.get(number);
    if (row?.status === 'at work')
      row.text = line
        .replace(LOG_PREFIX, '')
        .replace(/[█░]+ /, '')
        .trim();
  }

  /**
   * @param details further lines to print, such as the last lines of a failed job's log
   * @param unseen the label of a job that ended before it was shown as started
   */
  ended(
    number: number,
    { status, note, seconds, metrics }: JobOutcome,
    details: readonly string[] = [],
    unseen = `#${number}`,
  ): void {
    const row = this.#rows.get(number);
    const label = row?.label ?? unseen;
    const figures = Object.entries(metrics).flatMap(([key, value]) =>
      value === null ? [] : [`${key} ${figure(value)}`],
    );
    const words = [note, ...figures].filter(Boolean);
    if (row) Object.assign(row, { status, seconds, text: words.join(', ') });
    if (this.output.report)
      return this.output.report({ event: 'job', job: number, label, status, note, seconds, metrics, details });
    // On a terminal, a finished job gets no line of its own, since the table shows it.
    if (this.output.live && status === 'finished') return this.output.live.refresh();
    const line = [`${label}: ${status} after ${duration(seconds)}`, ...words].join(', ');
    this.say([line, ...details.map((text) => `  ${text}`)].join('\n'));
  }

  /** Prints lines of text above the table. */
  say(text: string): void {
    if (this.output.report) return this.output.report({ event: 'log', message: text });
    const write = () => void this.output.write(`${text}\n`);
    if (this.output.live) this.output.live.above(write);
    else write();
  }

  /** Removes the table from the terminal, since the summary of the sweep is printed next. */
  close(): void {
    this.output.live?.end(this.lines, false);
    this.output.live?.close();
  }

  /**
   * Writes the table for a terminal of the given size: running jobs, then failed ones, then others, each in their order, and a
   * line of totals.
   */
  readonly lines: LiveText = ({ columns, rows }) => {
    const order = ['at work', 'failed', 'submitted', 'stopped', 'finished'];
    const jobs = [...this.#rows.values()].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
    const shown = jobs.slice(0, Math.max(1, rows - 3));
    const longest = maximum([3, ...shown.map(({ label }) => label.length)]);
    const width = Math.min(longest, Math.max(10, Math.floor(columns * LABEL_SHARE)));
    const line = (label: string, status: string, time: string, text: string) =>
      shortened(
        `${shortened(printable(label), width).padEnd(width)}  ${status.padEnd(8)}  ${time.padStart(7)}  ${printable(text)}`,
        columns,
      );
    const body = shown.map(({ label, status, startedAt, seconds, text }) =>
      line(label, status, duration(seconds ?? this.clock() - startedAt), text),
    );
    const header = line('job', 'status', 'time', 'latest');
    return [this.output.live?.bold(header) ?? header, ...body, this.#totals(jobs.length - shown.length)];
  };

  #totals(hidden: number): string {
    const count = (status: Row['status']) => [...this.#rows.values()].filter((row) => row.status === status).length;
    const [atWork, failed] = [count('at work'), count('failed')];
    const done = this.#rows.size - atWork;
    const parts = [`${done}${this.total === null ? '' : `/${this.total}`} done`, `${atWork} at work`];
    if (failed > 0) parts.push(`${failed} failed`);
    if (hidden > 0) parts.push(`${hidden} not shown`);
    return parts.join(', ');
  }
}

const shortened = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

/** Writes a number with four significant digits, or fewer if it has fewer. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(4)));
}
