// Writes and parses the key of a constraint: a JSON text of everything that the grammar of an answer depends on. The server finds
// compiled constraints in its cache by the key, and the record of an answer contains it, so that training can compile the
// constraint again.
import type { Grammar, Tokenizer } from '@bowyer/text';
import { callFormats } from '../tool-calls/call-formats.js';
import { answerGrammar, type AnswerPlace, type AskedAnswer } from './answer-grammar.js';
import type { ChatNames } from './chat-request.js';

type KeyParts = [
  format: AskedAnswer['format'],
  toolChoice: AskedAnswer['toolChoice'],
  parallelCalls: boolean,
  parts:
    | [
        style: string | undefined,
        afterReasoning: NonNullable<NonNullable<AnswerPlace['parts']>['style']>['afterReasoning'] | undefined,
        startsInReasoning: boolean,
        tools: NonNullable<AnswerPlace['parts']>['tools'],
      ]
    | null,
  mayReason: boolean,
  reasoningBudget?: number,
];

export function grammarKey(
  { format, toolChoice, parallelCalls }: AskedAnswer,
  { parts, mayReason }: AnswerPlace,
): string {
  const style = parts?.style;
  const place = parts && [style?.format.name, style?.afterReasoning, parts.startsInReasoning, parts.tools];
  return JSON.stringify([format, toolChoice, parallelCalls, place, mayReason]);
}

/** Returns the key of the same constraint with an additional limit on the number of reasoning tokens. */
export const withBudget = (key: string, tokens: number): string =>
  JSON.stringify([...(JSON.parse(key) as KeyParts).slice(0, 5), tokens]);

const names: ChatNames = { messages: 'messages', tools: 'tools', toolChoice: 'tool_choice', format: 'response_format' };

interface KeyedConstraint {
  /** Null where any text is allowed and only the reasoning is limited. */
  grammar: Grammar | null;
  parts: AnswerPlace['parts'];
  /** The most tokens of reasoning; null for no bound. */
  reasoningBudget: number | null;
}

/** Throws RangeError for a text that `grammarKey` did not write, or a format of tool calls that no longer exists. */
export function constraintOfKey(key: string, reader: { tokenizer: Pick<Tokenizer, 'tokenToId'> }): KeyedConstraint {
  const [format, toolChoice, parallelCalls, place, mayReason, reasoningBudget = null] = JSON.parse(key) as KeyParts;
  const parts = place && placeOf(place);
  const grammar = answerGrammar({ format, toolChoice, parallelCalls, names }, { parts, mayReason }, reader);
  if (grammar === null && reasoningBudget === null)
    throw new RangeError(`the constraint ${key} allows any text: it was not recorded with an answer`);
  return { grammar, parts, reasoningBudget };
}

function placeOf([name, afterReasoning, startsInReasoning, tools]: NonNullable<KeyParts[3]>): AnswerPlace['parts'] {
  const format = callFormats.find((each) => each.name === name);
  if (name && !format)
    throw new RangeError(
      `a constraint has calls of tools in the format '${name}', which is none of the known ones (${callFormats.map((each) => each.name).join(', ')})`,
    );
  return { style: format ? { format, afterReasoning: afterReasoning ?? null } : null, startsInReasoning, tools };
}
