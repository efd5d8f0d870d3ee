// The rollouts that are being played. Those that nobody asks for leave, and come back from the log.
import type { RolloutOrigin } from '../record/log-event.js';
import type { RolloutLog } from '../record/rollout-log.js';
import { LiveRollout } from './live-rollout.js';

/** Rollouts that are kept beside those in use. */
const MOST_IDLE = 1024;

export class LiveRollouts {
  readonly #rollouts = new Map<string, Promise<LiveRollout>>();

  constructor(private readonly log: RolloutLog) {}

  has(id: string): boolean {
    return this.#rollouts.has(id) || this.log.has(id);
  }

  /** Runs `work` with the rollout; null where it is unknown. */
  async use<T>(id: string, work: (live: LiveRollout | null) => Promise<T>): Promise<T> {
    if (!this.has(id)) return work(null);
    const live = await this.take(id);
    try {
      return await work(live);
    } finally {
      live.inUse--;
    }
  }

  /** A rollout that there is; whoever takes it counts `inUse` down again. */
  async take(id: string): Promise<LiveRollout> {
    const found = this.#rollouts.get(id) ?? this.log.events(id).then((events) => LiveRollout.from(id, events));
    this.#rollouts.delete(id); // it becomes the newest
    this.#rollouts.set(id, found);
    const live = await found;
    live.inUse++;
    if (this.#rollouts.size > MOST_IDLE) await this.#dropOldest();
    return live;
  }

  /** A rollout that begins, or its next attempt. */
  begin(origin: RolloutOrigin): void {
    void this.#rollouts.get(origin.id)?.then((before) => (before.isReplaced = true));
    this.#rollouts.set(origin.id, Promise.resolve(new LiveRollout(origin)));
  }

  async #dropOldest(): Promise<void> {
    for (const [id, found] of [...this.#rollouts].slice(0, -MOST_IDLE))
      if ((await found).inUse === 0 && this.#rollouts.get(id) === found) this.#rollouts.delete(id);
  }
}
