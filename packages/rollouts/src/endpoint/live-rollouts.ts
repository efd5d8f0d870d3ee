// Keeps rollouts in memory. If there are too many, idle ones are removed and restored from the log at their next request.
import type { RolloutOrigin } from '../record/log-event.js';
import type { RolloutLog } from '../record/rollout-log.js';
import { LiveRollout } from './live-rollout.js';

const MOST_IDLE = 1024;

export class LiveRollouts {
  readonly #rollouts = new Map<string, Promise<LiveRollout>>();

  constructor(private readonly log: RolloutLog) {}

  has(id: string): boolean {
    return this.#rollouts.has(id) || this.log.has(id);
  }

  /** Calls `work` with the state of a rollout, or with null if the rollout is unknown. */
  async use<T>(id: string, work: (live: LiveRollout | null) => Promise<T>): Promise<T> {
    if (!this.has(id)) return work(null);
    const live = await this.take(id);
    try {
      return await work(live);
    } finally {
      live.inUse--;
    }
  }

  /**
   * Returns a known rollout's state and increments `inUse`, which the caller must decrement. @throws if the log cannot be read
   */
  async take(id: string): Promise<LiveRollout> {
    const found = this.#rollouts.get(id) ?? this.#restored(id);
    this.#rollouts.delete(id); // inserting it again makes it the newest
    this.#rollouts.set(id, found);
    const live = await found;
    live.inUse++;
    if (this.#rollouts.size > MOST_IDLE) await this.#dropOldest();
    return live;
  }

  /** Restores a rollout from the log. A failed read is not cached, so that the next request tries again. */
  #restored(id: string): Promise<LiveRollout> {
    const found = this.log.events(id).then((events) => LiveRollout.from(id, events));
    found.catch(() => this.#drop(id, found));
    return found;
  }

  #drop(id: string, found: Promise<LiveRollout>): void {
    if (this.#rollouts.get(id) === found) this.#rollouts.delete(id);
  }

  /** Adds the state of a new rollout or attempt. @returns a function that removes it, if `begun` cannot be written to the log */
  begin(origin: RolloutOrigin, begun?: Promise<void>): () => void {
    const { id } = origin;
    const before = this.#rollouts.get(id);
    before?.then(
      (former) => (former.isReplaced = true),
      () => undefined,
    );
    const live = Promise.resolve(new LiveRollout(origin, begun));
    this.#rollouts.set(id, live);
    if (this.#rollouts.size > MOST_IDLE) void this.#dropOldest();
    return () => {
      if (this.#rollouts.get(id) !== live) return;
      this.#rollouts.delete(id);
      if (!before) return;
      this.#rollouts.set(id, before);
      before.then(
        (former) => (former.isReplaced = false),
        () => undefined,
      );
    };
  }

  async #dropOldest(): Promise<void> {
    for (const [id, found] of [...this.#rollouts].slice(0, -MOST_IDLE)) {
      const live = await found.catch(() => null); // a rollout whose read failed has already been removed
      if (live?.inUse === 0) this.#drop(id, found);
    }
  }
}
