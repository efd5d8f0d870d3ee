// Which rollout a trace belongs to: the first one that has sent a span of it.
import { createHash } from 'node:crypto';

/** Traces that are remembered, the latest ones. */
const MOST_TRACES = 100_000;

export class TraceOwners {
  /** By a digest, since ids come from strangers. */
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
