// Makes the grammar of a chat's answer, if its request needs one: a JSON value, tool calls, or, with strict tools, any text with
// calls whose arguments follow their schemas. Reasoning may precede, if the model may write it.
import { jsonValue, readingTogether, UnsupportedSchemaError, type Grammar, type Tokenizer } from '@bowyer/text';
import { callGrammar, contentGrammar, StrictToolError, type WrittenStyle } from '../tool-calls/call-grammar.js';
import type { PartsOptions } from '../tool-calls/part-streamer.js';
import type { ChatRequest } from './chat-request.js';
import { BadRequestError } from './request-error.js';

const anyObject = { type: 'object' };

/** The fields of a chat request that decide which texts are allowed as an answer. */
export type AskedAnswer = Pick<ChatRequest, 'format' | 'toolChoice' | 'parallelCalls'>;

/** How the prompt ends, and how the server splits the answer into reasoning, content and tool calls. */
export interface AnswerPlace {
  parts: (Pick<PartsOptions, 'startsInReasoning' | 'tools'> & { style: WrittenStyle | null }) | null;
  mayReason: boolean;
}

/** Returns null where any text is allowed. @throws {BadRequestError} for a JSON schema that a grammar cannot guarantee */
export function answerGrammar(
  chat: AskedAnswer & Pick<ChatRequest, 'names'>,
  { parts, mayReason }: AnswerPlace,
  { tokenizer }: { tokenizer: Pick<Tokenizer, 'tokenToId'> },
): Grammar | null {
  const { format, toolChoice, parallelCalls, names } = chat;
  const isForced = typeof toolChoice === 'object' || toolChoice === 'required';
  const hasStrict = parts?.tools.some(({ strict }) => strict) ?? false;
  if (format.kind === 'text' && !isForced && !hasStrict) return null;
  const place = { tokenizer, startsInReasoning: parts?.startsInReasoning ?? false, mayReason };
  const content =
    format.kind === 'text' ? null : served(format.kind === 'schema' ? format.schema : anyObject, names.format);
  if (!parts?.style || parts.tools.length === 0) return contentGrammar(content!, parts?.style ?? null, place);
  const choice = isForced ? toolChoice : 'auto';
  const parallel = parallelCalls && typeof choice !== 'object';
  try {
    return readingTogether(() => callGrammar(parts.style!, parts.tools, { ...place, choice, parallel, content }));
  } catch (error) {
    if (!(error instanceof StrictToolError || error instanceof UnsupportedSchemaError)) throw error;
    throw new BadRequestError(`'${names.tools}': ${error.message}`, names.tools, 'unsupported');
  }
}

function served(schema: unknown, name: string): Grammar {
  try {
    return jsonValue(schema);
  } catch (error) {
    if (!(error instanceof UnsupportedSchemaError)) throw error;
    throw new BadRequestError(`'${name}': ${error.message}`, name, 'unsupported');
  }
}
