// An answer in this server's own form, which each protocol writes in its own.
import type { CalledTool } from '../tool-calls/message-parts.js';
import type { TokenLogprob } from './token-logprobs.js';

/** One answer, or a piece of it. */
export interface Choice {
  index: number;
  text: string;
  /** The parts of a chat whose answers are split. */
  reasoning?: string;
  calls?: readonly CalledTool[];
  /** Null until the answer ends. */
  finishReason: 'stop' | 'length' | 'tool_calls' | null;
  /** Tokens of the text, where they were asked for. */
  tokens: readonly TokenLogprob[] | null;
  /** Ids, where they were asked for: of the prompt (of a stream only in a choice's first piece), and of the text with its terminator. */
  ids?: { prompt?: readonly number[]; text: readonly number[] };
}

export interface Usage {
  promptTokens: number;
  completionTokens: number;
}
