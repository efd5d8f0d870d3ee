// Defines the interface of a format of tool calls, such as Qwen's `<tool_call>{…}</tool_call>`; formats/ has the formats.
import { either, sequence, text, textWithout, type ChatMessage, type Grammar } from '@bowyer/text';
import type { AnswerParts, AttemptStatus, CallAttempt, Tool } from './answer-parts.js';
import type { GrammarMarks } from './grammar-marks.js';
import type { IncomingText, Reading } from './incoming-text.js';

export interface CallFormat {
  readonly name: string;
  /** Recognises the format in the text of a dialogue in which the assistant calls `probe_tool` with `{"x": 1}`. */
  readonly sign: RegExp;
  /** Matches a prompt with tools, for templates that do not write calls, which are then put into the message's content. */
  readonly promptSign?: RegExp;
  /** Markers that decoding must keep, even if they are special tokens. */
  readonly marks: readonly string[];
  /** Tokens that end an answer with calls, in addition to those that end every answer. */
  readonly endMarks: readonly string[];
  /** Whether arguments are written as JSON, so that the spaces and digits that the model chose can be reproduced. */
  readonly argumentsAreJson: boolean;
  /** Whether each call has a closing marker, where an answer with one call can end; false if only the list has one. */
  readonly callsStandAlone: boolean;
  /** Whether reasoning and content have markers of this format too. The format is then also used for answers without tools. */
  readonly framesAnswers?: boolean;
  /** Makes the id of a call whose text contains none. @param random letters and digits */
  callId(random: string): string;
  /** Parses an answer, or the text after its reasoning, and adds its content and calls to `parts`. */
  read(input: IncomingText, parts: AnswerParts): Reading<void>;
  /** Escapes a string in arguments, for templates that do not escape strings themselves. */
  escaped?(text: string): string;
  /** The pattern of the call ids that the format's templates accept; absent if they accept any. */
  readonly idPattern?: RegExp;
  /** Converts a message with calls of an earlier turn, for templates that read other keys than usual. */
  historyMessage?(message: ChatMessage): ChatMessage;
  /** Writes calls as text, for templates that do not write them. @param calls with their arguments as JSON */
  write?(calls: readonly { name: string; arguments: string }[]): string;
  /** Puts the format's markers around content, if the format has markers for content. */
  framed?(content: Grammar, marks: GrammarMarks): Grammar;
  /** Returns the grammar of one or more calls of the tools. */
  grammar(tools: readonly Tool[], options: CallGrammarOptions): Grammar;
  /** Returns the grammar of answers in which the calls are optional. @param calls the grammar of the calls */
  optional(calls: Grammar, marks: GrammarMarks): Grammar;
  /** The markers around reasoning, if the format has its own. */
  readonly reasoningMarks?: readonly [start: string, end: string];
  /** Returns the grammar of reasoning, which may be empty, if the format has its own markers for it. */
  reasoning?(marks: GrammarMarks): Grammar;
}

export interface CallGrammarOptions {
  /** Makes the grammars of markers, which depend on how the tokenizer encodes them. */
  marks: GrammarMarks;
  /** Whether more than one call is allowed; at least one is required. */
  parallel: boolean;
  jsonArguments(tool: Tool): Grammar;
}

export type { CallAttempt, Tool };

/** Returns a function that makes the grammar of text that calls may follow. @param mark the marker with which the calls begin */
export const behindText =
  (mark: string) =>
  (calls: Grammar): Grammar =>
    sequence(textWithout(mark), either(text(''), calls));

/** Makes a call id in the form of OpenAI's ids. */
export const longId = (random: string): string => `call_${random}`;

/** Returns the status of an attempt at a call whose next text is not what the format requires. */
export const wrongStructure = (input: IncomingText): AttemptStatus =>
  input.isOver ? 'unclosed_block' : 'malformed_structure';
