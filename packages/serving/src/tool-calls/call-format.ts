// The interface of a format of calls, which a model writes as text. Each format is one file of formats/.
import { either, sequence, text, textWithout, type ChatMessage, type Grammar } from '@bowyer/text';
import type { AnswerParts, CallAttempt, Tool } from './answer-parts.js';
import type { GrammarMarks } from './grammar-marks.js';
import type { IncomingText, Reading } from './incoming-text.js';

export interface CallFormat {
  readonly name: string;
  /** Finds the format in a rendered dialogue in which the assistant calls `probe_tool` with `{"x": 1}`. */
  readonly sign: RegExp;
  /** Finds the format in a prompt with tools, for templates that leave calls out: the message's content then has them. */
  readonly promptSign?: RegExp;
  /** Texts that decoding keeps, even where they are special tokens. */
  readonly marks: readonly string[];
  /** Tokens that end an answer with calls, besides those that end every answer. */
  readonly endMarks: readonly string[];
  /** Whether arguments are written as JSON, so that any text of it can be written again as it was. */
  readonly argumentsAreJson: boolean;
  /** Whether a call is complete with its own end, so that an answer that is to have one call can end there: no list is closed behind it. */
  readonly callsStandAlone: boolean;
  /** Whether all of an answer's parts are in this format: it is read in answers without tools too, and finds its own reasoning. */
  readonly framesAnswers?: boolean;
  /** Returns the id of a call whose text has none. @param random letters and digits */
  callId(random: string): string;
  /** Reads all of an answer, or what follows its reasoning. */
  read(input: IncomingText, parts: AnswerParts): Reading<void>;
  /** A text among arguments as a template must be given it, where it does not escape it itself. */
  escaped?(text: string): string;
  /** Ids that its templates take, where not all. */
  readonly idPattern?: RegExp;
  /** A message with calls as its templates take it, where they read other keys. */
  historyMessage?(message: ChatMessage): ChatMessage;
  /** The calls as text, for templates that leave them out. @param calls with their arguments in JSON */
  write?(calls: readonly { name: string; arguments: string }[]): string;
  /** Content within the frame that the format gives it, where it frames answers. */
  framed?(content: Grammar, marks: GrammarMarks): Grammar;
  /** Returns the texts that are calls of the tools. */
  grammar(tools: readonly Tool[], options: CallGrammarOptions): Grammar;
  /** Returns the answers in which there may be such calls, or none. */
  optional(calls: Grammar, marks: GrammarMarks): Grammar;
  /** The marks that open and close reasoning, where the format frames answers. */
  readonly reasoningMarks?: readonly [start: string, end: string];
  /** The texts of its own reasoning, none too, where the format frames answers. */
  reasoning?(marks: GrammarMarks): Grammar;
}

export interface CallGrammarOptions {
  /** Marks as the tokenizer has them. */
  marks: GrammarMarks;
  /** Whether there may be several calls; one at least. */
  parallel: boolean;
  /** Returns the arguments of a tool as JSON. */
  jsonArguments(tool: Tool): Grammar;
}

export type { CallAttempt, Tool };

/** Text that calls may follow, where a mark begins them. */
export const behindText =
  (mark: string) =>
  (calls: Grammar): Grammar =>
    sequence(textWithout(mark), either(text(''), calls));

/** Ids as OpenAI's are. */
export const longId = (random: string): string => `call_${random}`;
