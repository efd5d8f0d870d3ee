// Keeps the positions of rollouts' events in the log; the events stay on disk, so that memory does not grow with them.
import type { LogEvent } from './log-event.js';
import type { Place } from './log-parts.js';

export class RolloutIndex {
  readonly #open = new Map<string, Place[]>();
  /** The positions of the events of ended rollouts by id, the most recently ended last. */
  readonly #ended = new Map<string, Place[]>();

  /** Makes an empty index. @param mostEnded largest number of ended rollouts, beyond which the oldest are removed */
  constructor(private readonly mostEnded: number) {}

  add({ id, type }: LogEvent, place: Place): void {
    const places = this.places(id) ?? [];
    places.push(place);
    const hasEnded = type === 'ended' || (type !== 'begun' && this.#ended.has(id));
    if (!hasEnded) {
      this.#ended.delete(id);
      this.#open.set(id, places);
    } else {
      this.#open.delete(id);
      this.#ended.delete(id); // inserting it again makes it the newest
      this.#ended.set(id, places);
      if (this.#ended.size > this.mostEnded) this.#ended.delete(this.#ended.keys().next().value!);
    }
  }

  /** Removes the rollouts whose first event was in a log file that has been removed. */
  forget(part: number): void {
    for (const rollouts of [this.#open, this.#ended])
      for (const [id, [first]] of rollouts) if (first.part <= part) rollouts.delete(id);
  }

  /** Returns the positions of a rollout's events; undefined if the rollout is unknown or was removed from the index. */
  places(id: string): Place[] | undefined {
    return this.#open.get(id) ?? this.#ended.get(id);
  }

  /** Returns the ids of the rollouts that have not ended. */
  get open(): Iterable<string> {
    return this.#open.keys();
  }

  /** Returns the ids of all rollouts in the index, ended ones first. */
  *ids(): Iterable<string> {
    yield* this.#ended.keys();
    yield* this.#open.keys();
  }
}
