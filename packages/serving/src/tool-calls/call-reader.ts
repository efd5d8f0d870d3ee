// Reads the tool calls of whole answers, as a server does.
import type { ChatTemplate, Tokenizer } from '@bowyer/text';
import type { Tool } from './answer-parts.js';
import { callStyle, decoderWithMarks, endIds } from './call-style.js';
import { PartStreamer, type CalledTool } from './part-streamer.js';

/** Reads answers of a model with one template. */
export interface CallReader {
  /** Tokens that end an answer with calls, in addition to those of the template. */
  endIds: readonly number[];
  /** Returns the calls in an answer. @param tools in the form of Chat Completions */
  read(
    promptIds: readonly number[],
    answerIds: readonly number[],
    tools: readonly Readonly<Record<string, unknown>>[],
  ): readonly Pick<CalledTool, 'name' | 'arguments'>[];
}

/** Finds out how a template writes calls. @returns null if it writes them in no known way */
export function callReader(template: ChatTemplate, tokenizer: Tokenizer): CallReader | null {
  const style = callStyle(template, tokenizer);
  if (style === null) return null;
  const decode = decoderWithMarks(tokenizer, style.format);
  return {
    endIds: endIds(tokenizer, style.format),
    read(promptIds, answerIds, tools) {
      const startsInReasoning = endsInThought(promptIds, tokenizer);
      const streamer = new PartStreamer(
        { style, startsInReasoning, tools: tools.map(toolOf), singleCall: false },
        false,
      );
      streamer.add(decode(answerIds), true);
      return streamer.whole.calls;
    },
  };
}

/** Returns a request's tool in the form for reading answers. */
export function toolOf(tool: Readonly<Record<string, unknown>>): Tool {
  const { name, parameters = null, strict } = tool.function as { name: string } & Partial<Tool>;
  return { name, parameters, strict: strict === true };
}

/** The number of last tokens of a prompt that are searched for a mark. */
const PROMPT_END = 16;

/** Returns the text of a prompt's last tokens, with marks. */
export const endOf = (ids: readonly number[], tokenizer: Pick<Tokenizer, 'decode'>): string =>
  tokenizer.decode(ids.slice(-PROMPT_END), { keepSpecialTokens: true });

/** Returns whether an answer begins within reasoning, because its prompt ends with the opening mark. */
export const endsInThought = (ids: readonly number[], tokenizer: Pick<Tokenizer, 'decode'>): boolean =>
  endOf(ids, tokenizer).trimEnd().endsWith('<think>');
