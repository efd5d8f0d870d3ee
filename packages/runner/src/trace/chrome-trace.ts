// Writes trace.json, the spans of a run (phases, sessions and others) in Chrome's trace event format, which ui.perfetto.dev and
// chrome://tracing open. It is a JSON array that grows during the run; viewers accept an array that a kill has left incomplete.
// Source: "Trace Event Format", docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
import { appendFileSync, writeFileSync } from 'node:fs';
import type { Span, SpanCategory } from '@bowyer/core';

const MICROSECONDS = 1000;
/** The largest number of spans in the file, since a viewer could not open more. Further spans are only counted in the summary. */
const MOST_SPANS = 300_000;
const BUFFERED = 1000;
const PROCESS = 1;
/**
 * The microseconds by which consecutive spans may overlap, since the clocks from which their times come are not read at the same
 * moment.
 */
const CLOCK_DIFFERENCE = 1000;

/** Thread ids for categories whose spans follow one another. Others may overlap, and have no fixed row. */
const rows: Readonly<Partial<Record<SpanCategory | 'kernel', number>>> = { phase: 1, session: 2, kernel: 3 };

export class ChromeTrace {
  #lines: string[] = [];
  #spans = 0;
  #asyncId = 0;
  #isFirst = true;
  /** The time at which the last span of each row ends. */
  readonly #ends = new Map<number, number>();

  /** @param start the start of the run in milliseconds since the epoch; an existing trace is overwritten */
  constructor(
    private readonly path: string,
    private readonly start: number,
  ) {
    writeFileSync(path, '[\n');
    for (const [name, tid] of Object.entries(rows)) this.#event({ ph: 'M', name: 'thread_name', tid, args: { name } });
  }

  /** The number of spans that were not written, since the file would have more than `MOST_SPANS`. */
  get leftOut(): number {
    return Math.max(0, this.#spans - MOST_SPANS);
  }

  add({ category, name, start, end, attributes, error }: Span): void {
    if (++this.#spans > MOST_SPANS && category !== 'phase') return;
    const args = error === undefined ? attributes : { ...attributes, error };
    const tid = rows[category];
    if (tid !== undefined) return this.#complete(category, name, tid, start, end - start, args);
    const id = ++this.#asyncId;
    this.#event({ ph: 'b', cat: category, name, id, tid: 0, ts: this.#time(start), args });
    this.#event({ ph: 'e', cat: category, name, id, tid: 0, ts: this.#time(end) });
  }

  addKernel(operator: string, start: number, milliseconds: number, node: string): void {
    if (++this.#spans <= MOST_SPANS) this.#complete('kernel', operator, rows.kernel!, start, milliseconds, { node });
  }

  close(): void {
    this.#event({ ph: 'M', name: 'process_name', tid: 0, args: { name: 'bowyer' } });
    this.#write();
    appendFileSync(this.path, '\n]\n');
  }

  /**
   * Writes a span. Its start is adjusted to the end of the row's last span, since Perfetto leaves out a span that overlaps
   * another one of its row partly.
   */
  #complete(cat: string, name: string, tid: number, start: number, milliseconds: number, args: object): void {
    const end = this.#time(start + milliseconds);
    const before = this.#ends.get(tid) ?? 0;
    const own = this.#time(start);
    const ts = own < before && before - own < CLOCK_DIFFERENCE ? Math.min(before, end) : own;
    this.#ends.set(tid, end);
    this.#event({ ph: 'X', cat, name, tid, ts, dur: end - ts, args });
  }

  #time(milliseconds: number): number {
    return Math.round((milliseconds - this.start) * MICROSECONDS);
  }

  #event(event: object): void {
    this.#lines.push(JSON.stringify({ pid: PROCESS, ...event }));
    if (this.#lines.length >= BUFFERED) this.#write();
  }

  /** Writes the buffered lines to the file. The separator precedes each line, so that the file never ends with one. */
  #write(): void {
    if (this.#lines.length === 0) return;
    appendFileSync(this.path, (this.#isFirst ? '' : ',\n') + this.#lines.join(',\n'));
    this.#isFirst = false;
    this.#lines = [];
  }
}
