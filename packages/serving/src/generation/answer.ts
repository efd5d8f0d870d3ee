// Defines the server's internal form of an answer, which each protocol converts to its own.
import type { Utterance } from '@bowyer/core';
import type { CallAttempt } from '../tool-calls/answer-parts.js';
import type { CalledTool } from '../tool-calls/part-streamer.js';
import type { TokenLogprob } from './token-logprobs.js';

/** An answer's tokens as they were sampled, with their log-probabilities in the full vocabulary. */
export interface SampledUtterance extends Pick<Utterance, 'ids' | 'terminated' | 'logprobs'> {
  /** The log-probabilities under the constraint's masks, [n], in nats; absent without a constraint. */
  maskedLogprobs?: number[];
  /** The versions of the weights, each with the index in `ids` from which it was used. */
  versions: { from: number; version: number }[];
}

/** One answer, or a piece of it. */
export interface Choice {
  index: number;
  text: string;
  /** The reasoning of a chat's answer, if answers are split. */
  reasoning?: string;
  /** In a piece: new calls, and further text of the arguments of earlier calls, by their index. */
  calls?: readonly CalledTool[];
  /** In a whole answer: the calls, and texts that look like attempts at a call, even if they count as text. */
  attempts?: readonly CallAttempt[];
  /** In a whole answer: whether sampled calls were removed, since the request allows only one. */
  isShortened?: boolean;
  /** The reason of the answer's end; null until it ends. */
  finishReason: 'stop' | 'length' | 'tool_calls' | null;
  /** The stop string of the request that ended the answer; absent where none did. */
  stop?: string;
  /** Tokens of the text with their log-probabilities; null where they were not requested. */
  tokens: readonly TokenLogprob[] | null;
  /** Ids, if requested: of the prompt (in a stream only in a choice's first piece), and of the text with its terminator. */
  ids?: { prompt?: readonly number[]; text: readonly number[] };
  /** The sampled tokens of a whole answer. */
  sampled?: SampledUtterance;
}

export interface Usage {
  promptTokens: number;
  /** The number of the prompts' tokens that were found in the cache. */
  cachedPromptTokens: number;
  completionTokens: number;
  /** The number of the answers' tokens up to the end of their reasoning. */
  reasoningTokens: number;
}

/** All answers to a request. */
export interface Completed {
  choices: readonly Choice[];
  usage: Usage;
  /** Whether the client has disconnected. */
  aborted: boolean;
}
