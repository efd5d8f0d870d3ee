// Remembers the rollout to which each trace belongs: the first one that has sent a span of it.
import { createHash } from 'node:crypto';

/** The number of the latest traces that are remembered. */
const MOST_TRACES = 100_000;

export class TraceOwners {
  /** The rollout of each trace, by a digest of its id, since clients choose the ids. */
  readonly #rollouts = new Map<string, string>();

  /** Notes that a rollout sends a span of a trace. @returns the other rollout that the trace belongs to; null where there is none */
  claim(trace: string, rollout: string): string | null {
    const key = createHash('sha256').update(trace).digest('base64');
    const owner = this.#rollouts.get(key) ?? rollout;
    this.#rollouts.delete(key);
    this.#rollouts.set(key, owner);
    if (this.#rollouts.size > MOST_TRACES) this.#rollouts.delete(this.#rollouts.keys().next().value!);
    return owner === rollout ? null : owner;
  }
}
