// The record of an agent's rollout: the calls of the model with their tokens, rewards, and how it ended.
import type { SampledUtterance } from '@bowyer/serving';

export interface RecordedChoice extends SampledUtterance {
  index: number;
  /** The source of the constraint, to compile it again for training; absent without one. */
  constraint?: string;
  finishReason: 'stop' | 'length' | 'tool_calls';
  /** The text of the request that ended the answer, as opposed to an end that the model wrote; absent where none did. */
  stop?: string;
  /** The answer in the form that all protocols share: content, reasoning, calls, and attempts at calls, also those that succeeded. */
  message: RecordedMessage;
}

export interface RecordedMessage {
  content: string;
  reasoning?: string;
  calls: { id: string; name: string; arguments: string }[];
  /** The client has got less than was sampled: calls after the first, where the request allows one. A dialogue does not continue its tokens. */
  shortened?: true;
  /** `ok`: it is one of the calls; else why it could not be read. */
  attempts?: { status: string; name: string | null; start: number; end: number }[];
}

export interface RecordedCall {
  /** Counts the calls of its rollout from 0, in the order in which they were begun. */
  call: number;
  rollout: string;
  /** 'chat-completions' | 'completions' | 'responses' | 'messages' */
  protocol: string;
  path: string;
  /** The body as sent. */
  request: unknown;
  /** The sampling settings that were used. */
  sampling: Record<string, unknown>;
  /** Digest of the chat template; null: there is none. */
  template: string | null;
  /** In the form of Chat Completions. */
  tools: unknown[];
  /** `ChatMessage[]` that the prompt was written from. */
  messages: unknown[];
  /** The endpoint that answered in place of a model here; its answers have no tokens. Absent: there was none. */
  upstream?: string;
  promptIds: number[];
  choices: RecordedChoice[];
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** False: the connection broke before the last byte; such a call is left out of training by default. */
  delivered: boolean;
  /** The call that the same request was answered with when its client asked again; absent: it did not. */
  supersededBy?: number;
  /** The number of a counter header (`X-Stainless-Retry-Count`); 0 where there is none. */
  retry: number;
  /** Headers of known agents, which say what belongs together. */
  hints: { session?: string; parent?: string };
  /** Excluded from training, such as titles and judges (header `X-Bowyer-Purpose: auxiliary`). */
  auxiliary: boolean;
}

export interface RecordedReward {
  value: number;
  /** 'reward' by default. */
  name: string;
  /** The call that it is for; absent: the rollout. */
  call?: number;
  /** A second request with the same key changes nothing. */
  key?: string;
  /** Milliseconds since 1970: for readers. A clock may be set back, so that nothing is decided by it. */
  at: number;
  /** It came after the rollout was learnt from, and does not count; absent: it came in time. */
  isLate?: true;
}

/** Values that replace what an agent's requests say; those left out are as it sends them. */
export interface FixedSampling {
  /** 0: greedy. */
  temperature?: number;
  topP?: number;
  topK?: number;
}

/** How a rollout begins. */
export interface RolloutOrigin {
  id: string;
  task?: string;
  attempt?: number;
  group?: string;
  /** All its answers follow from it and the numbers of their calls, whatever seed a request brings; absent: from the server's seed and `id`. */
  seed?: number;
  sampling?: FixedSampling;
}

export interface RecordedRollout extends RolloutOrigin {
  calls: RecordedCall[];
  failures: { call: number; error: string }[];
  rewards: RecordedReward[];
  metrics: Record<string, number>;
  status: 'open' | 'ended' | 'failed';
  reason?: string;
  /** When it was learnt from, in milliseconds since 1970; rewards that stand behind it in the log are late. Absent: it was not. */
  learntAt?: number;
}
