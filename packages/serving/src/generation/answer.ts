// An answer in this server's own form, which each protocol writes in its own.
import type { Utterance } from '@bowyer/core';
import type { CallAttempt } from '../tool-calls/answer-parts.js';
import type { CalledTool } from '../tool-calls/part-streamer.js';
import type { TokenLogprob } from './token-logprobs.js';

/** An answer's tokens as they were sampled, with their log-probabilities among all tokens. */
export interface SampledUtterance extends Pick<Utterance, 'ids' | 'terminated' | 'logprobs'> {
  /** [n] nats, among the tokens that the constraint allowed; absent without one. */
  maskedLogprobs?: number[];
  /** The version of the weights, from which of `ids` on. */
  versions: { from: number; version: number }[];
}

/** One answer, or a piece of it. */
export interface Choice {
  index: number;
  text: string;
  /** The parts of a chat whose answers are split. */
  reasoning?: string;
  /** In a piece: the calls that begin, and further text of the arguments of those that have begun, by their index. */
  calls?: readonly CalledTool[];
  /** In a whole answer: what was a call or was meant as one, also where it stayed text. */
  attempts?: readonly CallAttempt[];
  /** In a whole answer: calls that were sampled are left out, since the request allows one. */
  isShortened?: boolean;
  /** Null until the answer ends. */
  finishReason: 'stop' | 'length' | 'tool_calls' | null;
  /** The text that ended the answer, where one of the request's did. */
  stop?: string;
  /** Tokens of the text, where they were asked for. */
  tokens: readonly TokenLogprob[] | null;
  /** Ids, where they were asked for: of the prompt (of a stream only in a choice's first piece), and of the text with its terminator. */
  ids?: { prompt?: readonly number[]; text: readonly number[] };
  /** In a whole answer. */
  sampled?: SampledUtterance;
}

export interface Usage {
  promptTokens: number;
  /** Those of the prompts that were found in the cache. */
  cachedPromptTokens: number;
  completionTokens: number;
  /** Those of the answers up to the end of their reasoning. */
  reasoningTokens: number;
}

/** All answers to a request. */
export interface Completed {
  choices: readonly Choice[];
  usage: Usage;
  /** The client has disconnected. */
  aborted: boolean;
}
