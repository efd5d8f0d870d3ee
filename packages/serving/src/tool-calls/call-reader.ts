// Reads the tool calls of whole answers, as a server does.
import type { ChatTemplate, Tokenizer } from '@bowyer/text';
import type { Tool } from './answer-parts.js';
import { callStyle, decoderWithMarks, endIds, type CallStyle } from './call-style.js';
import { PartStreamer } from './part-streamer.js';

/** The parts of an answer: the texts of its reasoning and of its content, and its calls. */
export type AnswerTexts = Pick<PartStreamer['whole'], 'reasoning' | 'text' | 'calls'>;

/** Reads answers of a model with one template. */
export interface CallReader {
  /** Tokens that end an answer with calls, in addition to those of the template. */
  endIds: readonly number[];
  /**
   * Splits an answer into its parts.
   *
   * @param tools in the form of Chat Completions
   * @param isWhole false for the beginning of an answer, of which the parts are returned that a stream would have sent
   */
  read(
    promptIds: readonly number[],
    answerIds: readonly number[],
    tools: readonly Readonly<Record<string, unknown>>[],
    isWhole?: boolean,
  ): AnswerTexts;
}

/** Finds out how a template writes calls. @returns null if it writes them in no known way */
export function callReader(template: ChatTemplate, tokenizer: Tokenizer): CallReader | null {
  const style = callStyle(template, tokenizer);
  return style && readerOf(style, tokenizer);
}

/** Makes a reader of the answers that a template has without tools: reasoning and content. */
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
