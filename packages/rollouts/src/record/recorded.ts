// Defines the record of an agent's rollout: the model calls with their tokens, the rewards, and how the rollout ended.
import type { SampledUtterance } from '@bowyer/serving';
import type { ChatMessage } from '@bowyer/text';

export interface RecordedChoice extends SampledUtterance {
  index: number;
  /** The grammar or schema that constrained the sampling, from which training recomputes token masks; absent without one. */
  constraint?: string;
  finishReason: 'stop' | 'length' | 'tool_calls';
  /** The stop string that ended the answer; absent if the model's end token or a limit ended it. */
  stop?: string;
  /** The answer in a form that all protocols share: content, reasoning, tool calls, and all texts that looked like tool calls. */
  message: RecordedMessage;
}

export interface RecordedMessage {
  content: string;
  reasoning?: string;
  calls: { id: string; name: string; arguments: string }[];
  /** True if the client got fewer tool calls than were sampled, as it allows only one; no prompt can continue the tokens. */
  shortened?: true;
  /** Texts of the answer that look like tool calls. `status`: `ok` for a valid call, else why it could not be parsed. */
  attempts?: { status: string; name: string | null; start: number; end: number }[];
}

export interface RecordedCall {
  /** The number of the call in its rollout, from 0, in the order in which calls began. */
  call: number;
  rollout: string;
  /** The protocol: 'chat-completions' | 'completions' | 'responses' | 'messages'. */
  protocol: string;
  path: string;
  /** The body of the request as the client sent it. */
  request: unknown;
  /** The sampling settings with which the answer was sampled. */
  sampling: Record<string, unknown>;
  /** A digest of the chat template that wrote the prompt; null without a template. */
  template: string | null;
  tools: unknown[];
  /** The dialogue (`ChatMessage[]`) from which the prompt was written. */
  messages: unknown[];
  /** The reason why `messages` is empty, such as an image in the request; absent if `messages` is not empty. */
  unread?: string;
  /** The address of the endpoint that answered, without tokens, instead of a local model; absent for a local model. */
  upstream?: string;
  /** The answer of `upstream` as the client got it, for replays; absent if it is longer than 16 MiB. */
  answer?: RecordedAnswer;
  /** True if texts of the call were redacted and its tokens removed; absent otherwise. */
  redacted?: true;
  promptIds: number[];
  choices: RecordedChoice[];
  /** The time when the call began, in milliseconds since 1970; `endedAt` likewise. */
  startedAt: number;
  endedAt: number;
  /** Whether the client received the answer up to its last byte; training omits undelivered calls by default. */
  delivered: boolean;
  /** The number of the later call in which the client repeated this request; absent if it did not repeat it. */
  supersededBy?: number;
  /** The number of the repetition in the client's header `X-Stainless-Retry-Count`; 0 without the header. */
  retry: number;
  /** Ids from headers of known agents, which show which calls belong to the same session or to a parent session. */
  hints: { session?: string; parent?: string };
  /** Whether training excludes the call, for example one of a judge (header `X-Bowyer-Purpose: auxiliary`). */
  auxiliary: boolean;
}

export interface RecordedAnswer {
  /** The content type of the answer: JSON, or an event stream. */
  type: string;
  text: string;
}

export interface RecordedReward {
  value: number;
  /** The name of the reward; 'reward' if none was given. */
  name: string;
  /** The number of the call that is rewarded; absent if the reward is for the whole rollout. */
  call?: number;
  /** The idempotency key of the reward: a second reward with an equal key is ignored. */
  key?: string;
  /** The time in milliseconds since 1970, for readers of the log; nothing depends on it, since a clock may be set back. */
  at: number;
  /** True if the reward came after the policy had learned from the rollout, so that it does not count; absent otherwise. */
  isLate?: true;
}

/** A message with which a person has corrected the model's answer. */
export interface RecordedCorrection {
  /** The index in `choices` of the answer that the correction replaces. */
  choice: number;
  /** The corrected message in the form of Chat Completions, with the arguments of tool calls as text. */
  message: ChatMessage;
  /** The time of the correction in milliseconds since 1970. */
  at: number;
}

/** Sampling settings that replace those in an agent's requests; for absent ones, the agent's settings apply. */
export interface FixedSampling {
  /** The sampling temperature; 0 means greedy decoding. */
  temperature?: number;
  topP?: number;
  topK?: number;
}

/** The data with which a rollout begins. */
export interface RolloutOrigin {
  id: string;
  task?: string;
  attempt?: number;
  group?: string;
  /** Seeds all answers with each call's number; requests' seeds are ignored. Absent: derived from the server's seed and `id`. */
  seed?: number;
  sampling?: FixedSampling;
}

export interface RecordedRollout extends RolloutOrigin {
  calls: RecordedCall[];
  failures: { call: number; error: string }[];
  rewards: RecordedReward[];
  /** The last correction of the model's answer, in a rollout that consists of a single call; absent without one. */
  correction?: RecordedCorrection;
  metrics: Record<string, number>;
  status: 'open' | 'ended' | 'failed';
  reason?: string;
  /** When the policy learned from the rollout, in milliseconds since 1970; later rewards do not count. Absent: not learned. */
  learntAt?: number;
}
