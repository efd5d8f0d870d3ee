// Progress of slow work on the terminal.

export interface ProgressOutput {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/**
 * One line with a bar, a count, a note and the time left. On a terminal it is redrawn at most ten times a second; in a
 * file or a pipe it prints a line every `quietSeconds`. Work that ends within `patienceSeconds` prints nothing.
 */
export class ProgressBar {
  readonly #started: number;
  #lastDrawn = -Infinity;
  #drawn = false;
  #done = 0;
  #firstDone = 0;
  #note = '';

  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly output: ProgressOutput,
    private readonly clock: () => number = () => performance.now() / 1000,
    private readonly patienceSeconds = 1,
    private readonly quietSeconds = 10,
  ) {
    this.#started = clock();
  }

  /** Work done before this process started counts towards the bar but not towards the time left. */
  startAt(done: number): void {
    this.#firstDone = this.#done = done;
  }

  update(done: number, note = this.#note): void {
    this.#done = done;
    this.#note = note;
    const now = this.clock();
    const interval = this.output.isTTY ? 0.1 : this.quietSeconds;
    if (now - this.#started < this.patienceSeconds || now - this.#lastDrawn < interval) return;
    this.#lastDrawn = now;
    this.#draw(now);
  }

  /** Leaves the final state on the screen, if the bar was shown. */
  finish(): void {
    if (!this.#drawn) return;
    this.#draw(this.clock());
    if (this.output.isTTY) this.output.write('\n');
  }

  /** Removes the line so that other output can be printed. */
  clear(): void {
    if (this.#drawn && this.output.isTTY) this.output.write('\r\x1b[2K');
  }

  #draw(now: number): void {
    this.#drawn = true;
    const share = this.total > 0 ? Math.min(1, this.#done / this.total) : 1;
    const worked = this.#done - this.#firstDone;
    const left = worked > 0 ? ((now - this.#started) / worked) * (this.total - this.#done) : NaN;
    const filled = Math.round(share * 20);
    const bar = '█'.repeat(filled) + '░'.repeat(20 - filled);
    const count = `${Math.floor(this.#done)}/${this.total}`;
    const eta = this.#done >= this.total ? `took ${duration(now - this.#started)}` : `ETA ${duration(left)}`;
    const line = [`${this.label} ${bar} ${count}`, eta, this.#note].filter(Boolean).join('  ');
    if (this.output.isTTY) this.output.write(`\r\x1b[2K${line.slice(0, (this.output.columns || 120) - 1)}`);
    else this.output.write(`${line}\n`);
  }
}

/** Seconds as text: `8s`, `3m 05s`, `2h 10m`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return '…';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`;
  return `${Math.floor(whole / 3600)}h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}
