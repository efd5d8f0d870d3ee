// Counts the tokens of a call, as the tokenizer or the endpoint counts them.
import type { RecordedCall } from './recorded.js';

export interface Usage {
  input: number;
  output: number;
}

/** Prices of a million tokens, in any currency. */
export type Prices = Usage;

/** Returns the price of the tokens. */
export const costOf = ({ input, output }: Usage, prices: Prices): number =>
  (input * prices.input + output * prices.output) / 1e6;

/** Counts the tokens of a call; null if an endpoint does not report them, as in OpenAI's streams without `include_usage`. */
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

/** Returns the JSON objects among the events of a stream. */
function eventsOf(text: string): Json[] {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return data
    .map((line) => line.slice(5).trim())
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Json] : []));
}

/** Returns the usage in a body or an event: its own, or that of its message or response. */
function usageIn({ usage, message, response }: Json): unknown {
  return usage ?? (message as Json | undefined)?.usage ?? (response as Json | undefined)?.usage;
}
