// Measures the seconds of each phase of an iteration (rollout, update and others), and emits the phases as spans of a trace.
import { emitSpan, wallClock, type Span } from '@bowyer/core';

export class PhaseClock {
  #seconds: Record<string, number> = {};
  #started = performance.now();
  /** The span of the current phase in the trace; consecutive steps of a phase extend it. */
  #span: Span | null = null;

  /**
   * Adds the time since the last call to a phase. It is called after every step of a phase, so that an evaluation between
   * training steps is measured separately.
   */
  stepped(phase: string, iteration: number): void {
    const now = performance.now();
    const milliseconds = now - this.#started;
    this.#seconds[phase] = (this.#seconds[phase] ?? 0) + milliseconds / 1000;
    this.#started = now;
    const end = wallClock();
    if (this.#span?.name === phase) return void (this.#span = { ...this.#span, end });
    this.endSpan();
    this.#span = { category: 'phase', name: phase, start: end - milliseconds, end, attributes: { iteration } };
  }

  /** Returns the seconds of each phase of the finished iteration, and sets them to 0. */
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
