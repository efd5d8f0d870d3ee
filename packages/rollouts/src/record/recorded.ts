// Defines the record of an agent's rollout: the model calls with their tokens, the rewards, and the end.
import type { SampledUtterance } from '@bowyer/serving';
import type { ChatMessage } from '@bowyer/text';

export interface RecordedChoice extends SampledUtterance {
  index: number;
  /** The source of the constraint, from which training compiles it again; absent without one. */
  constraint?: string;
  finishReason: 'stop' | 'length' | 'tool_calls';
  /** The stop string that ended the answer; absent if the model or a limit ended it. */
  stop?: string;
  /** The answer in the form that all protocols share: content, reasoning, calls, and attempts at calls, including successful ones. */
  message: RecordedMessage;
}

export interface RecordedMessage {
  content: string;
  reasoning?: string;
  calls: { id: string; name: string; arguments: string }[];
  /**
   * True if the client has received less than was sampled, since the request allows only one call. No dialogue continues the
   * tokens of such an answer.
   */
  shortened?: true;
  /** The texts that look like calls. `status` is `ok` for a call, else the reason why it could not be read. */
  attempts?: { status: string; name: string | null; start: number; end: number }[];
}

export interface RecordedCall {
  /** The number of the call in its rollout, from 0, in the order in which calls began. */
  call: number;
  rollout: string;
  /** The protocol: 'chat-completions' | 'completions' | 'responses' | 'messages'. */
  protocol: string;
  path: string;
  /** The body as sent by the client. */
  request: unknown;
  /** The sampling settings that were used. */
  sampling: Record<string, unknown>;
  /** A digest of the chat template; null without one. */
  template: string | null;
  tools: unknown[];
  /** The `ChatMessage[]` from which the prompt was written. */
  messages: unknown[];
  /** The reason why `messages` is empty, such as an image in the request; absent if it is not empty. */
  unread?: string;
  /** The endpoint that answered instead of a local model, and whose answers have no tokens; absent for a local model. */
  upstream?: string;
  /** That endpoint's answer as the client got it, for a replay; absent if it is longer than 16 MiB. */
  answer?: RecordedAnswer;
  /** True if its texts were redacted and its tokens removed; absent otherwise. */
  redacted?: true;
  promptIds: number[];
  choices: RecordedChoice[];
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** Whether the client received the answer; false if the connection broke before the last byte. Training omits such calls by default. */
  delivered: boolean;
  /** The number of the call that answered the same request when its client repeated it; absent if it did not. */
  supersededBy?: number;
  /** The number in a client's retry header (`X-Stainless-Retry-Count`); 0 without one. */
  retry: number;
  /** Headers of known agents that show which calls belong together. */
  hints: { session?: string; parent?: string };
  /** Whether training excludes the call, such as one for a title or a judge (header `X-Bowyer-Purpose: auxiliary`). */
  auxiliary: boolean;
}

export interface RecordedAnswer {
  /** The content type: JSON, or an event stream. */
  type: string;
  text: string;
}

export interface RecordedReward {
  value: number;
  /** The name of the reward; 'reward' if none was given. */
  name: string;
  /** The number of the rewarded call; absent if the whole rollout is rewarded. */
  call?: number;
  /** A second request with an equal key is ignored. */
  key?: string;
  /** Milliseconds since 1970, for readers. Nothing depends on it, since a clock may be set back. */
  at: number;
  /** True if it came after the policy had learned from the rollout, so that it does not count; absent otherwise. */
  isLate?: true;
}

/** A person's correction of the model's answer. */
export interface RecordedCorrection {
  /** The index of the answer that the correction replaces. */
  choice: number;
  /** The message in the form of Chat Completions, with the arguments of calls as text. */
  message: ChatMessage;
  /** Milliseconds since 1970. */
  at: number;
}

/** Sampling settings that replace those of an agent's requests; settings that are not given are the agent's. */
export interface FixedSampling {
  /** The temperature; 0 for greedy decoding. */
  temperature?: number;
  topP?: number;
  topK?: number;
}

/** The beginning of a rollout. */
export interface RolloutOrigin {
  id: string;
  task?: string;
  attempt?: number;
  group?: string;
  /**
   * The seed of all its answers, combined with the numbers of their calls, whatever a request's seed is; if absent, it is derived
   * from the server's seed and `id`.
   */
  seed?: number;
  sampling?: FixedSampling;
}

export interface RecordedRollout extends RolloutOrigin {
  calls: RecordedCall[];
  failures: { call: number; error: string }[];
  rewards: RecordedReward[];
  /** The last correction of the answer to its only call; absent without one. */
  correction?: RecordedCorrection;
  metrics: Record<string, number>;
  status: 'open' | 'ended' | 'failed';
  reason?: string;
  /**
   * The time when the policy learned from the rollout, in milliseconds since 1970; later rewards in the log do not count. Absent
   * if it did not.
   */
  learntAt?: number;
}
