// Shows the progress of slow work: as a bar in a terminal, as lines in a file or pipe, or as events for a script.
import type { LiveRegion } from './live-region.js';

/** The stream or script to which progress is written. */
export interface ProgressOutput {
  /** Absent if the output is not a terminal. */
  live?: LiveRegion;
  /** Reports an event to a script. If it is present, no lines are printed. */
  report?(event: Record<string, unknown>): void;
  write(text: string): unknown;
}

/** The number of seconds after which progress is first shown. Shorter work prints nothing. */
const PATIENCE_SECONDS = 1;

/** The number of seconds between two lines of progress in a file or pipe. */
const QUIET_SECONDS = 10;

/** A line with a bar, a count, a note and the remaining time; in a terminal, `details` is below it. */
export class ProgressBar {
  readonly #started: number;
  #lastDrawn = -Infinity;
  #drawn = false;
  #done = 0;
  #firstDone = 0;
  #note = '';

  /** @param details returns further lines for a terminal of this width */
  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly output: ProgressOutput,
    private readonly clock: () => number = () => performance.now() / 1000,
    private readonly details: (columns: number) => string[] = () => [],
  ) {
    this.#started = clock();
  }

  /** The work of earlier processes of a resumed run counts for the bar, but not for the estimate of the remaining time. */
  startAt(done: number): void {
    this.#firstDone = this.#done = done;
  }

  update(done: number, note = this.#note): void {
    this.#done = done;
    this.#note = note;
    const now = this.clock();
    if (now - this.#started < PATIENCE_SECONDS) return;
    if (this.output.live) this.output.live.show(this.#lines);
    else if (now - this.#lastDrawn >= QUIET_SECONDS) this.#print(now);
    this.#drawn = true;
  }

  /** Ends the bar. If it was shown, its final state stays on the screen. */
  finish(): void {
    if (!this.#drawn) return;
    if (this.output.live) this.output.live.end(this.#lines, true);
    else this.#print(this.clock());
  }

  remove(): void {
    this.output.live?.end(this.#lines, false);
  }

  readonly #lines = ({ columns }: { columns: number }): string[] => [
    this.#line(this.clock()),
    ...this.details(columns),
  ];

  #print(now: number): void {
    this.#lastDrawn = now;
    const { label, total } = this;
    if (this.output.report)
      this.output.report({
        event: 'progress',
        label,
        done: this.#done,
        total,
        seconds: now - this.#started,
        eta_seconds: this.#left(now),
        note: this.#note,
      });
    else this.output.write(`${this.#line(now)}\n`);
  }

  /** Returns an estimate of the remaining seconds; null if nothing was done yet. */
  #left(now: number): number | null {
    const worked = this.#done - this.#firstDone;
    return worked > 0 ? ((now - this.#started) / worked) * (this.total - this.#done) : null;
  }

  #line(now: number): string {
    const share = this.total > 0 ? Math.min(1, this.#done / this.total) : 1;
    const filled = Math.round(share * 20);
    const bar = '█'.repeat(filled) + '░'.repeat(20 - filled);
    const count = `${Math.floor(this.#done)}/${this.total}`;
    const eta =
      this.#done >= this.total ? `took ${duration(now - this.#started)}` : `ETA ${duration(this.#left(now) ?? NaN)}`;
    return [`${this.label} ${bar} ${count}`, eta, this.#note].filter(Boolean).join('  ');
  }
}

/** Formats a duration: `8s`, `3m 05s`, `2h 10m`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '…';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(whole / 3600)}h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}
