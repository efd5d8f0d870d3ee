// Computes the numbers of input and output tokens of recorded model calls, and their price.
import type { RecordedCall } from './recorded.js';

export interface Usage {
  input: number;
  output: number;
}

/** Prices per million input and output tokens, in any currency. */
export type Prices = Usage;

export const costOf = ({ input, output }: Usage, prices: Prices): number =>
  (input * prices.input + output * prices.output) / 1e6;

/** Returns a call's numbers of tokens, by the local tokenizer or the endpoint; null if an endpoint does not report them. */
export function usageOf(call: Pick<RecordedCall, 'promptIds' | 'choices' | 'upstream' | 'answer'>): Usage | null {
  const { promptIds, choices, upstream, answer } = call;
  if (upstream === undefined)
    return { input: promptIds.length, output: choices.reduce((sum, { ids }) => sum + ids.length, 0) };
  if (answer === undefined) return null;
  const bodies = answer.type.includes('event-stream') ? eventsOf(answer.text) : [JSON.parse(answer.text) as Json];
  const reported = Object.assign({}, ...bodies.map(usageIn)) as Json;
  const input = reported.prompt_tokens ?? reported.input_tokens;
  const output = reported.completion_tokens ?? reported.output_tokens;
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : null;
}

type Json = Record<string, unknown>;

/** Returns the JSON objects in the `data` lines of a recorded event stream. */
function eventsOf(text: string): Json[] {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return data
    .map((line) => line.slice(5).trim())
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Json] : []));
}

/** Returns the member `usage` of a response body or of an event, in which it may be inside `message` or `response`. */
function usageIn({ usage, message, response }: Json): unknown {
  return usage ?? (message as Json | undefined)?.usage ?? (response as Json | undefined)?.usage;
}
