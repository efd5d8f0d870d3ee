// Defines the events in the log of rollouts (rollout-log.ts), and computes a RecordedRollout from them.
import type { RecordedCall, RecordedCorrection, RecordedReward, RecordedRollout, RolloutOrigin } from './recorded.js';

export type { RolloutOrigin };

/** An event of the log. Times are in milliseconds since 1970. */
export type LogEvent =
  /** The beginning of a rollout, or of its next attempt, after which the events of earlier attempts do not count. */
  | ({ type: 'begun'; at: number } & RolloutOrigin)
  /** A finished model call. @member keys of the dialogues that end with its answers, by choice; empty for text completions */
  | { type: 'call'; id: string; call: RecordedCall; keys: readonly string[] }
  | { type: 'undelivered'; id: string; call: number }
  /** The client has repeated `call` as `by`: its retry counter shows that it did not get the answer. */
  | { type: 'superseded'; id: string; call: number; by: number }
  | { type: 'failure'; id: string; call: number; error: string }
  | { type: 'reward'; id: string; reward: RecordedReward }
  | { type: 'correction'; id: string; correction: RecordedCorrection }
  | { type: 'metrics'; id: string; metrics: Record<string, number>; at: number }
  | { type: 'ended'; id: string; status: 'ended' | 'failed'; reason?: string; at: number }
  | { type: 'learnt'; id: string; at: number };

export function rolloutOf(id: string, events: Iterable<LogEvent>): RecordedRollout {
  const rollout = fresh({ id });
  for (const event of events) apply(rollout, event);
  rollout.calls.sort((a, b) => a.call - b.call);
  return rollout;
}

const fresh = (origin: RolloutOrigin): RecordedRollout => ({
  ...origin,
  calls: [],
  failures: [],
  rewards: [],
  metrics: {},
  status: 'open',
});

function apply(rollout: RecordedRollout, event: LogEvent): void {
  switch (event.type) {
    case 'begun': {
      const { type: _, at: __, ...origin } = event;
      for (const key of Object.keys(rollout)) delete (rollout as Partial<RecordedRollout>)[key as 'id'];
      Object.assign(rollout, fresh(origin));
      break;
    }
    case 'call':
      rollout.calls.push(event.call);
      break;
    case 'undelivered':
      change(rollout, event.call, { delivered: false });
      break;
    case 'superseded':
      change(rollout, event.call, { delivered: false, supersededBy: event.by });
      break;
    case 'failure':
      rollout.failures.push({ call: event.call, error: event.error });
      break;
    case 'reward':
      rollout.rewards.push(rollout.learntAt === undefined ? event.reward : { ...event.reward, isLate: true });
      break;
    case 'correction':
      rollout.correction = event.correction;
      break;
    case 'metrics':
      Object.assign(rollout.metrics, event.metrics);
      break;
    case 'ended':
      rollout.status = event.status;
      if (event.reason === undefined) delete rollout.reason;
      else rollout.reason = event.reason;
      break;
    case 'learnt':
      rollout.learntAt = event.at;
  }
}

function change(rollout: RecordedRollout, call: number, by: Partial<RecordedCall>): void {
  const found = rollout.calls.find((each) => each.call === call);
  if (found) Object.assign(found, by);
}
