// The seconds of each phase of an iteration, which are spans of a trace too.
import { emitSpan, wallClock, type Span } from '@bowyer/core';

export class PhaseClock {
  #seconds: Record<string, number> = {};
  #started = performance.now();
  /** Under way, for a trace. */
  #span: Span | null = null;

  /** Called at the end of every step of a phase: a checkpoint or an evaluation in between has a time of its own. */
  stepped(phase: string, iteration: number): void {
    const now = performance.now();
    const milliseconds = now - this.#started;
    this.#seconds[phase] = (this.#seconds[phase] ?? 0) + milliseconds / 1000;
    this.#started = now;
    const end = wallClock();
    // Steps of the same phase are one span.
    if (this.#span?.name === phase) return void (this.#span = { ...this.#span, end });
    this.endSpan();
    this.#span = { category: 'phase', name: phase, start: end - milliseconds, end, attributes: { iteration } };
  }

  /** The seconds of each phase of the iteration that ends. */
  takeSeconds(): Record<string, number> {
    const seconds = this.#seconds;
    this.#seconds = {};
    return seconds;
  }

  endSpan(): void {
    if (this.#span !== null) emitSpan(this.#span);
    this.#span = null;
  }
}
