// All that the grammar of an answer is made of, as a text: a server finds a kept grammar by it, and a record of the answer has it, so that
// the grammar can be made again.
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
];

export function grammarKey(
  { format, toolChoice, parallelCalls }: AskedAnswer,
  { parts, mayReason }: AnswerPlace,
): string {
  const style = parts?.style;
  const place = parts && [style?.format.name, style?.afterReasoning, parts.startsInReasoning, parts.tools];
  return JSON.stringify([format, toolChoice, parallelCalls, place, mayReason]);
}

const names: ChatNames = { messages: 'messages', tools: 'tools', toolChoice: 'tool_choice', format: 'response_format' };

/** @throws {RangeError} where the key was not written by `grammarKey`, or names a format of calls that is not known any more */
export function grammarOf(key: string, reader: { tokenizer: Pick<Tokenizer, 'tokenToId'> }): Grammar {
  const [format, toolChoice, parallelCalls, parts, mayReason] = JSON.parse(key) as KeyParts;
  const grammar = answerGrammar(
    { format, toolChoice, parallelCalls, names },
    { parts: parts && placeOf(parts), mayReason },
    reader,
  );
  if (grammar === null)
    throw new RangeError(`the constraint ${key} allows any text: it was not recorded with an answer`);
  return grammar;
}

function placeOf([name, afterReasoning, startsInReasoning, tools]: NonNullable<KeyParts[3]>): AnswerPlace['parts'] {
  const format = callFormats.find((each) => each.name === name);
  if (name && !format)
    throw new RangeError(
      `a constraint has calls of tools in the format '${name}', which is none of the known ones (${callFormats.map((each) => each.name).join(', ')})`,
    );
  return { style: format ? { format, afterReasoning: afterReasoning ?? null } : null, startsInReasoning, tools };
}
