// Splits complete answers into reasoning, content and tool calls as the model server does, for recorded answers and training.
import type { ChatTemplate, Tokenizer } from '@bowyer/text';
import type { Tool } from './answer-parts.js';
import { callStyle, decoderWithMarks, endIds, type CallStyle } from './call-style.js';
import { PartStreamer } from './part-streamer.js';

/** An answer split into reasoning, content (`text`) and tool calls. */
export type AnswerTexts = Pick<PartStreamer['whole'], 'reasoning' | 'text' | 'calls'>;

/** Splits the answers of a model that uses one chat template. */
export interface CallReader {
  /** Tokens that end an answer with calls, in addition to the template's end tokens. */
  endIds: readonly number[];
  /**
   * @param tools in the form of Chat Completions
   * @param isWhole false if the tokens are only the beginning of an answer; the result is what a stream would have sent so far
   */
  read(
    promptIds: readonly number[],
    answerIds: readonly number[],
    tools: readonly Readonly<Record<string, unknown>>[],
    isWhole?: boolean,
  ): AnswerTexts;
}

/** Reads answers with tool calls. @returns null if the format of the template's calls is unknown */
export function callReader(template: ChatTemplate, tokenizer: Tokenizer): CallReader | null {
  const style = callStyle(template, tokenizer);
  return style && readerOf(style, tokenizer);
}

/** Makes a reader of a template's answers to requests without tools, which consist of reasoning and content. */
export function textReader(template: ChatTemplate, tokenizer: Tokenizer): CallReader {
  const style = callStyle(template, tokenizer);
  return readerOf(style?.format.framesAnswers ? style : null, tokenizer);
}

function readerOf(style: CallStyle | null, tokenizer: Tokenizer): CallReader {
  const decode = decoderWithMarks(tokenizer, style?.format ?? null);
  return {
    endIds: style ? endIds(tokenizer, style.format) : [],
    read(promptIds, answerIds, tools, isWhole = true) {
      const startsInReasoning = endsInThought(promptIds, tokenizer);
      const options = { style, startsInReasoning, tools: tools.map(toolOf), singleCall: false };
      const streamer = new PartStreamer(options, !isWhole);
      streamer.add(decode(answerIds), isWhole);
      return streamer.whole;
    },
  };
}

/** Converts a tool from the form of Chat Completions to the form that parsing answers needs. */
export function toolOf(tool: Readonly<Record<string, unknown>>): Tool {
  const { name, parameters = null, strict } = tool.function as { name: string } & Partial<Tool>;
  return { name, parameters, strict: strict === true };
}

/** The number of last tokens of a prompt that are searched for a marker of reasoning. */
const PROMPT_END = 16;

/** Decodes the last tokens of a prompt, including markers that are special tokens. */
export const endOf = (ids: readonly number[], tokenizer: Pick<Tokenizer, 'decode'>): string =>
  tokenizer.decode(ids.slice(-PROMPT_END), { keepSpecialTokens: true });

/** Returns whether an answer begins within reasoning, because its prompt ends with the marker `<think>`. */
export const endsInThought = (ids: readonly number[], tokenizer: Pick<Tokenizer, 'decode'>): boolean =>
  endOf(ids, tokenizer).trimEnd().endsWith('<think>');
