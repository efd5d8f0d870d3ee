// The record of an agent's rollout: the model calls with their tokens, rewards, and how it ended.
import type { SampledUtterance } from '@bowyer/serving';
import type { ChatMessage } from '@bowyer/text';

export interface RecordedChoice extends SampledUtterance {
  index: number;
  /** The source of the constraint, from which it is compiled again for training; absent without one. */
  constraint?: string;
  finishReason: 'stop' | 'length' | 'tool_calls';
  /** The stop string that ended the answer; absent where the model ended it, or a limit. */
  stop?: string;
  /** The answer in the form that all protocols share: content, reasoning, calls, and attempts at calls, the successful ones included. */
  message: RecordedMessage;
}

export interface RecordedMessage {
  content: string;
  reasoning?: string;
  calls: { id: string; name: string; arguments: string }[];
  /**
   * True where the client has received less than was sampled: calls after the first are left out where the request allows
   * one. No dialogue continues the tokens of such an answer.
   */
  shortened?: true;
  /** `ok`: it is one of the calls; else why it could not be read. */
  attempts?: { status: string; name: string | null; start: number; end: number }[];
}

export interface RecordedCall {
  /** The number of the call in its rollout, from 0, in the order in which calls began. */
  call: number;
  rollout: string;
  /** 'chat-completions' | 'completions' | 'responses' | 'messages'. */
  protocol: string;
  path: string;
  /** The body as the client sent it. */
  request: unknown;
  /** The sampling settings that were used. */
  sampling: Record<string, unknown>;
  /** Digest of the chat template; null: there is none. */
  template: string | null;
  tools: unknown[];
  /** The `ChatMessage[]` from which the prompt was written. */
  messages: unknown[];
  /** Why `messages` is empty: the request has what is not read here, such as an image. Absent: it has not. */
  unread?: string;
  /** The endpoint that answered in place of a model here; its answers have no tokens. Absent: there was none. */
  upstream?: string;
  /** The answer of that endpoint as the client got it, for a replay; absent where it is longer than 16 MiB. */
  answer?: RecordedAnswer;
  /** Its texts were redacted, and its tokens were left out. Absent: it is as it was. */
  redacted?: true;
  promptIds: number[];
  choices: RecordedChoice[];
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** False where the connection broke before the last byte; such a call is left out of training by default. */
  delivered: boolean;
  /** The number of the call that answered the same request when its client sent it again; absent: it did not. */
  supersededBy?: number;
  /** The number in a client's retry header (`X-Stainless-Retry-Count`); 0 where there is none. */
  retry: number;
  /** Headers of known agents that say which calls belong together. */
  hints: { session?: string; parent?: string };
  /** Whether the call is excluded from training, as for titles and judges (header `X-Bowyer-Purpose: auxiliary`). */
  auxiliary: boolean;
}

export interface RecordedAnswer {
  /** The content type: JSON, or a stream of events. */
  type: string;
  text: string;
}

export interface RecordedReward {
  value: number;
  /** 'reward' by default. */
  name: string;
  /** The number of the call that is rewarded; absent: the rollout. */
  call?: number;
  /** A second request with the same key changes nothing. */
  key?: string;
  /** Milliseconds since 1970, for readers. A clock may be set back, so that nothing depends on it. */
  at: number;
  /** True where it came after the rollout was learned from, and does not count; else absent. */
  isLate?: true;
}

/** The answer that a person has given in the place of the model's. */
export interface RecordedCorrection {
  /** The index of the answer that it replaces. */
  choice: number;
  /** In the form of Chat Completions, with the arguments of calls as text. */
  message: ChatMessage;
  /** Milliseconds since 1970. */
  at: number;
}

/** Values that replace those of an agent's requests; values that are left out stay as the agent sends them. */
export interface FixedSampling {
  /** The temperature; 0: greedy. */
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
  /**
   * The seed of all its answers, beside the numbers of their calls, whatever seed a request brings; absent: it follows from
   * the server's seed and `id`.
   */
  seed?: number;
  sampling?: FixedSampling;
}

export interface RecordedRollout extends RolloutOrigin {
  calls: RecordedCall[];
  failures: { call: number; error: string }[];
  rewards: RecordedReward[];
  /** The last one, for the answer of its only call. Absent: there is none. */
  correction?: RecordedCorrection;
  metrics: Record<string, number>;
  status: 'open' | 'ended' | 'failed';
  reason?: string;
  /** When it was learned from, in milliseconds since 1970; later rewards in the log are late. Absent: it was not. */
  learntAt?: number;
}
