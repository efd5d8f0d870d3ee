// Keeps the state of a rollout in progress: its next call's number, and the earlier answers that a prompt may continue.
import type { LogEvent, RolloutOrigin } from '../record/log-event.js';
import { digest } from '../record/call-record.js';
import type { Place } from '../record/log-parts.js';
import type { RecordedCall } from '../record/recorded.js';
import { History } from '../tree/history.js';
import { RolloutStateError } from './rollout-state-error.js';

const MOST_METRICS = 1_000;

export class LiveRollout {
  readonly history = new History();
  status: 'open' | 'ended' | 'failed' = 'open';
  isLearnt = false;
  /** Whether the next attempt has begun; this attempt's calls that are in progress are then not recorded. */
  isReplaced = false;
  /** Digests of the idempotency keys of the rewards so far; not the keys, since a sender may choose any length. */
  readonly #keys = new Set<string>();
  readonly #metrics = new Set<string>();
  #calls = 0;
  /** The number of the newest call by request digest, for requests whose answers may not have reached the client. */
  readonly #unanswered = new Map<string, number>();

  /** The number of model calls and other requests of this rollout in progress; a rollout in use stays in memory. */
  inUse = 0;

  /** Makes the state of a new rollout. @param begun resolves when the rollout's calls may be answered */
  constructor(
    readonly origin: RolloutOrigin,
    readonly begun: Promise<void> = Promise.resolve(),
  ) {}

  /** Restores the state from the log. All recorded calls count as unanswered, since clients may not have got their answers. */
  static from(id: string, events: readonly { event: LogEvent; place: Place }[]): LiveRollout {
    const begun = events.findLastIndex(({ event }) => event.type === 'begun');
    const first = events[begun]?.event;
    const { type: _, at: __, ...origin } = first?.type === 'begun' ? first : { type: 'begun', at: 0, id };
    const live = new LiveRollout(origin);
    for (const { event, place } of events.slice(begun + 1)) live.#restore(event, place);
    return live;
  }

  get calls(): number {
    return this.#calls;
  }

  nextCall(): number {
    return this.#calls++;
  }

  added(call: RecordedCall, keys: readonly string[], place: Place): void {
    this.history.add(keys, call, place);
    if (!call.delivered) this.undelivered(call);
  }

  undelivered(call: RecordedCall): void {
    this.#unanswered.set(requestKey(call), call.call);
  }

  /** Returns the number of the earlier call that this call repeats, as the retry counter in the client's headers shows. */
  supersededBy(call: RecordedCall): number | undefined {
    if (call.retry === 0) return undefined;
    const key = requestKey(call);
    const first = this.#unanswered.get(key);
    this.#unanswered.delete(key);
    return first;
  }

  /** Registers the idempotency key of a reward. @returns whether the key is new */
  takeKey(key: string | undefined): boolean {
    if (key === undefined) return true;
    const own = digest(key);
    const isNew = !this.#keys.has(own);
    this.#keys.add(own);
    return isNew;
  }

  /** Removes the idempotency key of a reward that could not be stored, so that a repeated request stores it. */
  giveBackKey(key: string | undefined): void {
    if (key !== undefined) this.#keys.delete(digest(key));
  }

  /** Registers the names of reported metrics. @throws {RolloutStateError} if the rollout would have too many */
  takeMetrics(names: readonly string[]): void {
    const added = names.filter((name) => !this.#metrics.has(name));
    if (this.#metrics.size + added.length > MOST_METRICS)
      throw new RolloutStateError(
        `the rollout '${this.origin.id}' has ${this.#metrics.size} metrics, and ${added.length} further ones are more than the ` +
          `${MOST_METRICS} that a rollout may have`,
      );
    for (const name of added) this.#metrics.add(name);
  }

  #restore(event: LogEvent, place: Place): void {
    if (event.type === 'call') {
      this.#calls = Math.max(this.#calls, event.call.call + 1);
      this.added(event.call, event.keys, place);
      this.undelivered(event.call);
    } else if (event.type === 'failure') this.#calls = Math.max(this.#calls, event.call + 1);
    else if (event.type === 'reward') this.takeKey(event.reward.key);
    else if (event.type === 'metrics') for (const name of Object.keys(event.metrics)) this.#metrics.add(name);
    else if (event.type === 'ended') this.status = event.status;
    else if (event.type === 'learnt') this.isLearnt = true;
  }
}

const requestKey = ({ path, request }: Pick<RecordedCall, 'path' | 'request'>): string =>
  digest(`${path}\n${JSON.stringify(request)}`);
