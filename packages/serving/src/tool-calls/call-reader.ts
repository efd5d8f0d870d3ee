// Reads the calls of tools in whole answers, as a server does.
import type { ChatTemplate, Tokenizer } from '@bowyer/text';
import type { Tool } from './answer-parts.js';
import { callStyle, decoderWithMarks, endIds } from './call-style.js';
import { PartStreamer, type CalledTool } from './part-streamer.js';

/** Reads answers of a model with one template. */
export interface CallReader {
  /** Tokens that end an answer with calls, beside those of the template. */
  endIds: readonly number[];
  /** Returns the calls in an answer. @param tools in the form of Chat Completions */
  read(
    promptIds: readonly number[],
    answerIds: readonly number[],
    tools: readonly Readonly<Record<string, unknown>>[],
  ): readonly Pick<CalledTool, 'name' | 'arguments'>[];
}

/** Finds how a template writes calls. @returns null where it writes them in none of the known ways */
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

/** Returns a tool of a request in the form in which answers are read. */
export function toolOf(tool: Readonly<Record<string, unknown>>): Tool {
  const { name, parameters = null, strict } = tool.function as { name: string } & Partial<Tool>;
  return { name, parameters, strict: strict === true };
}

/** Tokens that contain a mark at the end of the prompt. */
const PROMPT_END = 16;

/** Returns the text of the last tokens of a prompt, with marks. */
export const endOf = (ids: readonly number[], tokenizer: Pick<Tokenizer, 'decode'>): string =>
  tokenizer.decode(ids.slice(-PROMPT_END), { keepSpecialTokens: true });

/** Returns whether an answer begins within reasoning, behind the mark at the end of its prompt. */
export const endsInThought = (ids: readonly number[], tokenizer: Pick<Tokenizer, 'decode'>): boolean =>
  endOf(ids, tokenizer).trimEnd().endsWith('<think>');
