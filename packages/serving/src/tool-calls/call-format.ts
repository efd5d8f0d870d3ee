// The interface of a format of calls, which a model writes as text. Each format is one file of formats/.
import { either, sequence, text, textWithout, type ChatMessage, type Grammar } from '@bowyer/text';
import type { AnswerParts, CallAttempt, Tool } from './answer-parts.js';
import type { GrammarMarks } from './grammar-marks.js';
import type { IncomingText, Reading } from './incoming-text.js';

export interface CallFormat {
  readonly name: string;
  /** Recognises the format in a rendered dialogue in which the assistant calls `probe_tool` with `{"x": 1}`. */
  readonly sign: RegExp;
  /** Recognises the format in a prompt with tools, for templates that leave calls out: the calls are then in the message's content. */
  readonly promptSign?: RegExp;
  /** Texts that must be kept in decoding, also where they are special tokens. */
  readonly marks: readonly string[];
  /** Tokens that end an answer with calls, besides those that end every answer. */
  readonly endMarks: readonly string[];
  /** Whether arguments are written as JSON, so that any spelling of a value can be written again as it was. */
  readonly argumentsAreJson: boolean;
  /** Whether a call ends with a mark of its own, and not with that of a list, so that an answer with a single call can end there. */
  readonly callsStandAlone: boolean;
  /** Whether all parts of an answer have marks of this format: it is then also used for answers without tools, and reads the reasoning. */
  readonly framesAnswers?: boolean;
  /** Returns the id of a call whose text has none. @param random letters and digits */
  callId(random: string): string;
  /** Reads all of an answer, or what follows its reasoning. */
  read(input: IncomingText, parts: AnswerParts): Reading<void>;
  /** Escapes a text among arguments, where the template does not do it. */
  escaped?(text: string): string;
  /** The pattern of ids that its templates accept; absent: any id. */
  readonly idPattern?: RegExp;
  /** Converts a message with calls for templates that read other keys. */
  historyMessage?(message: ChatMessage): ChatMessage;
  /** Writes the calls as text, for templates that leave them out. @param calls with their arguments in JSON */
  write?(calls: readonly { name: string; arguments: string }[]): string;
  /** Puts content between the marks that the format gives it, where it has marks for all parts. */
  framed?(content: Grammar, marks: GrammarMarks): Grammar;
  /** Returns the grammar of calls of the tools. */
  grammar(tools: readonly Tool[], options: CallGrammarOptions): Grammar;
  /** Returns the grammar of answers with or without such calls. */
  optional(calls: Grammar, marks: GrammarMarks): Grammar;
  /** The marks that open and close reasoning, where the format has marks for all parts. */
  readonly reasoningMarks?: readonly [start: string, end: string];
  /** Returns the grammar of its reasoning, which may be empty, where the format has marks for all parts. */
  reasoning?(marks: GrammarMarks): Grammar;
}

export interface CallGrammarOptions {
  /** The marks as the tokenizer encodes them. */
  marks: GrammarMarks;
  /** Whether several calls are allowed; one is required. */
  parallel: boolean;
  /** Returns the grammar of a tool's arguments as JSON. */
  jsonArguments(tool: Tool): Grammar;
}

export type { CallAttempt, Tool };

/** Returns a grammar of text that calls may follow, where a mark begins them. */
export const behindText =
  (mark: string) =>
  (calls: Grammar): Grammar =>
    sequence(textWithout(mark), either(text(''), calls));

/** Returns an id in the form of OpenAI's. */
export const longId = (random: string): string => `call_${random}`;
