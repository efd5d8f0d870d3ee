// Defines the interface of a format in which models write tool calls as text. Each format is a file in formats/.
import { either, sequence, text, textWithout, type ChatMessage, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, CallAttempt, Tool } from './answer-parts.js';
import type { GrammarMarks } from './grammar-marks.js';
import type { IncomingText, Reading } from './incoming-text.js';

export interface CallFormat {
  readonly name: string;
  /** Recognises the format in a rendered dialogue in which the assistant calls `probe_tool` with `{"x": 1}`. */
  readonly sign: RegExp;
  /** Recognises the format in a prompt with tools, for templates that omit calls, which are then written into the message's content. */
  readonly promptSign?: RegExp;
  /** Texts that decoding must keep, even if they are special tokens. */
  readonly marks: readonly string[];
  /** Tokens that end an answer with calls, in addition to those that end every answer. */
  readonly endMarks: readonly string[];
  /** Whether arguments are written as JSON, so that any spelling of a value can be reproduced. */
  readonly argumentsAreJson: boolean;
  /** Whether each call has a closing mark, and not only the list of calls, so that an answer with a single call can end there. */
  readonly callsStandAlone: boolean;
  /**
   * Whether all parts of an answer have marks of this format, which is then also used for answers without tools and for reading
   * reasoning.
   */
  readonly framesAnswers?: boolean;
  /** Returns the id of a call without one in its text. @param random letters and digits */
  callId(random: string): string;
  /** Reads a whole answer, or the part after its reasoning. */
  read(input: IncomingText, parts: AnswerParts): Reading<void>;
  /** Escapes a text in arguments, where the template does not. */
  escaped?(text: string): string;
  /** The pattern of ids that its templates accept; absent if they accept any. */
  readonly idPattern?: RegExp;
  /** Converts a message with calls for templates that read other keys. */
  historyMessage?(message: ChatMessage): ChatMessage;
  /** Writes the calls as text, for templates that omit them. @param calls with their arguments in JSON */
  write?(calls: readonly { name: string; arguments: string }[]): string;
  /** Puts content between the format's marks, if it has marks for all parts. */
  framed?(content: Grammar, marks: GrammarMarks): Grammar;
  /** Returns the grammar of calls of the tools. */
  grammar(tools: readonly Tool[], options: CallGrammarOptions): Grammar;
  /** Returns the grammar of answers with or without these calls. */
  optional(calls: Grammar, marks: GrammarMarks): Grammar;
  /** The marks around reasoning, if the format has marks for all parts. */
  readonly reasoningMarks?: readonly [start: string, end: string];
  /** Returns the grammar of reasoning, which may be empty, if the format has marks for all parts. */
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

/** Returns a grammar of text that may be followed by calls, which begin with a mark. */
export const behindText =
  (mark: string) =>
  (calls: Grammar): Grammar =>
    sequence(textWithout(mark), either(text(''), calls));

/** Returns an id in the form of OpenAI's. */
export const longId = (random: string): string => `call_${random}`;

/** Returns the status of a call in which the next text is not what the format requires. */
export const wrongStructure = (input: IncomingText): AttemptStatus =>
  input.isOver ? 'unclosed_block' : 'malformed_structure';
