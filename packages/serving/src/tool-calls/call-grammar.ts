// Makes the grammar of answers under a request's choice of tools: required calls, and arguments that follow their schemas.
import {
  either,
  jsonValue,
  sequence,
  text,
  textWithout,
  UnsupportedSchemaError,
  type Grammar,
  type Tokenizer,
} from '@bowyer/text';
import type { Tool } from './answer-parts.js';
import type { CallStyle } from './call-style.js';
import { GrammarMarks } from './grammar-marks.js';
import { reasoningMarks } from './reasoning.js';

/** How a template writes an answer. */
export type WrittenStyle = Pick<CallStyle, 'format' | 'afterReasoning'>;

/** Decides whether reasoning can precede an answer. */
interface ReasoningPlace {
  /** The tokenizer, for reasoning marks that are tokens. */
  tokenizer: Pick<Tokenizer, 'tokenToId'>;
  /** Whether the prompt ended with <think>. */
  startsInReasoning: boolean;
  /** Whether the answer may begin with reasoning; true if not given. */
  mayReason?: boolean;
}

export interface CallChoice extends ReasoningPlace {
  /**
   * The allowed answers. `auto`: text, calls, or text before calls; otherwise at least one call, of any tool or of the
   * named one.
   */
  choice: 'auto' | 'required' | { name: string };
  /** Whether several calls are allowed. */
  parallel: boolean;
  /** The content of answers without calls; any text if not given. */
  content?: Grammar | null;
}

/**
 * Returns the grammar. Arguments follow the tools' schemas. If a schema has a keyword that cannot be guaranteed, a strict tool is
 * refused, and any object is allowed as the arguments of another tool.
 *
 * @throws {StrictToolError} for a strict tool's schema
 */
export function callGrammar(style: WrittenStyle, tools: readonly Tool[], given: CallChoice): Grammar {
  const { choice, parallel, tokenizer, content = null } = given;
  const { format } = style;
  const marks = new GrammarMarks(tokenizer);
  const callable = typeof choice === 'object' ? tools.filter(({ name }) => name === choice.name) : tools;
  const calls = format.grammar(callable, { marks, parallel, jsonArguments });
  if (choice !== 'auto') return behindReasoning(calls, style, given);
  if (content === null) return behindReasoning(format.optional(calls, marks), style, given);
  return behindReasoning(either(framed(content, style, marks), calls), style, given);
}

/** Returns the grammar of an answer that has only content. */
export function contentGrammar(content: Grammar, style: WrittenStyle | null, place: ReasoningPlace): Grammar {
  return behindReasoning(framed(content, style, new GrammarMarks(place.tokenizer)), style, place);
}

/** The error for a strict tool whose schema cannot be guaranteed. */
export class StrictToolError extends Error {
  override readonly name = 'StrictToolError';

  constructor(tool: string, cause: UnsupportedSchemaError) {
    super(`the strict tool '${tool}' has parameters that the server cannot guarantee: ${cause.message}`, { cause });
  }
}

const framed = (content: Grammar, style: WrittenStyle | null, marks: GrammarMarks): Grammar =>
  style?.format.framed?.(content, marks) ?? content;

function behindReasoning(answer: Grammar, style: WrittenStyle | null, place: ReasoningPlace): Grammar {
  const { tokenizer, startsInReasoning, mayReason = true } = place;
  const marks = new GrammarMarks(tokenizer);
  const own = style?.format.reasoning?.(marks);
  if (own) return sequence(own, answer);
  const [start, end] = reasoningMarks;
  const thought = sequence(textWithout(end), marks.of(end), text(style?.afterReasoning?.some ?? '\n\n'));
  if (startsInReasoning) return sequence(thought, answer);
  const canStart = mayReason && tokenizer.tokenToId(start) !== undefined;
  return canStart ? either(answer, sequence(marks.of(start), thought, answer)) : answer;
}

/** Returns the grammar of a tool's arguments; a tool without a schema has an empty object. */
function jsonArguments({ name, parameters, strict }: Tool): Grammar {
  if (parameters === null) return text('{}');
  try {
    return jsonValue(parameters.$ref === undefined ? { ...parameters, type: 'object' } : parameters);
  } catch (error) {
    if (!(error instanceof UnsupportedSchemaError)) throw error;
    if (strict) throw new StrictToolError(name, error);
    return jsonValue({ type: 'object' });
  }
}
