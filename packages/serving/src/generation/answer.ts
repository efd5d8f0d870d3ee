// Defines the server's internal form of an answer, which each API protocol converts to its own.
import type { Utterance } from '@bowyer/core';
import type { CallAttempt } from '../tool-calls/answer-parts.js';
import type { CalledTool } from '../tool-calls/part-streamer.js';
import type { TokenLogprob } from './token-logprobs.js';

/** An answer's sampled tokens, with their log-probabilities under the full distribution, without the masks of a constraint. */
export interface SampledUtterance extends Pick<Utterance, 'ids' | 'terminated' | 'logprobs'> {
  /** Under the distribution that the constraint's masks leave, [tokens], in nats; absent without a constraint. */
  maskedLogprobs?: number[];
  /** The versions of the weights that sampled the tokens, each with the index in `ids` of its first token. */
  versions: { from: number; version: number }[];
}

/** One answer, or in a stream one chunk of it. */
export interface Choice {
  index: number;
  text: string;
  /** The reasoning of a chat's answer, where the server splits answers into reasoning, content and calls. */
  reasoning?: string;
  /** In a chunk of a stream: new tool calls, and further text of the arguments of earlier calls, by their index. */
  calls?: readonly CalledTool[];
  /** In a complete answer: the tool calls, and texts that look like failed calls, even if they are returned as content. */
  attempts?: readonly CallAttempt[];
  /** In a complete answer: whether further sampled calls were removed, since the request allows only one. */
  isShortened?: boolean;
  /** The reason why the answer ended; null until it ends. */
  finishReason: 'stop' | 'length' | 'tool_calls' | null;
  /** The stop string of the request that ended the answer; absent where none did. */
  stop?: string;
  /** Tokens of the text with their log-probabilities; null where the request did not ask for them. */
  tokens: readonly TokenLogprob[] | null;
  /** Token ids, if requested: of the prompt (in a stream only in the first chunk), and of the text with its terminator. */
  ids?: { prompt?: readonly number[]; text: readonly number[] };
  sampled?: SampledUtterance;
}

export interface Usage {
  promptTokens: number;
  /** The number of the prompts' tokens whose keys and values were found in the cache. */
  cachedPromptTokens: number;
  completionTokens: number;
  /** The number of tokens, over all answers, from the beginning of an answer to the end of its reasoning. */
  reasoningTokens: number;
}

export interface Completed {
  choices: readonly Choice[];
  usage: Usage;
  /** Whether the answers were interrupted because the client has disconnected. */
  aborted: boolean;
}
