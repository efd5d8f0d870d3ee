// Summarises the spans of a run's trace in one line of the log: which share of the time each phase, session, environment and
// operator took.
import { duration } from '@bowyer/logging';
import type { Span } from '@bowyer/core';

const SHOWN = 4;

export class TraceSummary {
  /** The milliseconds of all spans, by category and name. */
  readonly #totals = new Map<string, Map<string, number>>();

  add({ category, name, start, end }: Pick<Span, 'name' | 'start' | 'end'> & { category: string }): void {
    const names = this.#totals.get(category) ?? new Map<string, number>();
    names.set(name, (names.get(name) ?? 0) + end - start);
    this.#totals.set(category, names);
  }

  /** @param milliseconds the duration of the whole run */
  text(milliseconds: number): string {
    const share = (part: number, whole = milliseconds) => `${Math.round((100 * part) / whole)} %`;
    const parts = ['phase', 'session', 'environment', 'http', 'kernel'].flatMap((category) => {
      const names = [...(this.#totals.get(category) ?? [])].sort(([, a], [, b]) => b - a);
      if (names.length === 0) return [];
      const total = names.reduce((sum, [, time]) => sum + time, 0);
      // Operators are measured for a few runs only, and calls of environments and requests overlap. Their shares therefore refer
      // to the sum of their own category, those of phases and sessions to the whole run.
      const whole = category === 'phase' || category === 'session' ? milliseconds : total;
      const shown = names.slice(0, SHOWN).map(([name, time]) => `${name} ${share(time, whole)}`);
      const all = whole === milliseconds ? `${share(total)}` : duration(total / 1000);
      return [`${labels[category]} ${all} (${shown.join(', ')})`];
    });
    return [`${duration(milliseconds / 1000)} in all`, ...parts].join('; ');
  }
}

const labels: Readonly<Record<string, string>> = {
  phase: 'phases',
  session: 'sessions',
  environment: 'environments',
  http: 'HTTP calls',
  kernel: 'operators of profiled runs',
};
