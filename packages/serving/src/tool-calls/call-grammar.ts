// Makes the grammar of an answer's tool calls: at least one call, a certain tool, or arguments that follow the tools' schemas.
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

/** The format in which a template writes tool calls, and the white space after its reasoning. */
export type WrittenStyle = Pick<CallStyle, 'format' | 'afterReasoning'>;

/** Decides whether the grammar allows reasoning before the answer's content and calls. */
interface ReasoningPlace {
  /** The tokenizer, which decides whether the markers of reasoning are single tokens. */
  tokenizer: Pick<Tokenizer, 'tokenToId'>;
  /** Whether the prompt ended with the marker that opens reasoning, such as `<think>`. */
  startsInReasoning: boolean;
  /** True if not given. */
  mayReason?: boolean;
}

export interface CallChoice extends ReasoningPlace {
  /** `auto`: text, calls, or both; `required`: at least one call of any tool; a name: at least one call, all of this tool. */
  choice: 'auto' | 'required' | { name: string };
  parallel: boolean;
  /** The grammar of the content of answers without calls; any text if not given. */
  content?: Grammar | null;
}

/**
 * Makes the grammar of an answer that may or must contain calls. Their arguments follow the tools' schemas. If a schema has a
 * keyword that a grammar cannot guarantee, a strict tool is refused, while for another tool any object is allowed.
 *
 * @throws {StrictToolError} for a strict tool with such a schema
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

/** Returns the grammar of an answer that has content but no calls, with optional reasoning before it. */
export function contentGrammar(content: Grammar, style: WrittenStyle | null, place: ReasoningPlace): Grammar {
  return behindReasoning(framed(content, style, new GrammarMarks(place.tokenizer)), style, place);
}

/** The error for a strict tool with a schema that a grammar cannot guarantee. */
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

/** Returns the grammar of a tool's arguments as JSON; the arguments of a tool without a schema are an empty object. */
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
