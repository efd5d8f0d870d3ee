// Redacts recorded model calls before they are stored: replaces the matched texts, and removes tokens, which encode them.
import type { RecordedCall, RecordedChoice } from '../record/recorded.js';

/** Returns a text in which the stretches that must not be stored are replaced; the same text if there are none. */
export type Redact = (text: string) => string;

const MARK = '[REDACTED]';

/** Makes a function that replaces every match. @throws {SyntaxError} for an invalid regular expression */
export function redactPatterns(patterns: readonly string[]): Redact {
  const compiled = patterns.map((pattern) => new RegExp(pattern, 'g'));
  return (text) => compiled.reduce((rest, pattern) => rest.replace(pattern, MARK), text);
}

/** Returns a JSON value with all its texts and numbers redacted; the same value if nothing changes. */
export function redactedValue<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T;
  if (typeof value === 'number') return (redact(String(value)) === String(value) ? value : redact(String(value))) as T;
  if (typeof value !== 'object' || value === null) return value;
  const before = Object.entries(value);
  const after = before.map(([key, each]) => [redact(key), redactedValue<unknown>(each, redact)] as const);
  if (after.every(([key, each], i) => key === before[i][0] && each === before[i][1])) return value;
  return (Array.isArray(value) ? after.map(([, each]) => each) : Object.fromEntries(after)) as T;
}

/** Returns a call as it may be stored. If a text is redacted, the tokens are removed, as in calls of another endpoint. */
export function redactedCall(call: RecordedCall, redact: Redact): RecordedCall {
  const { request, tools, messages, hints, choices } = call;
  const texts = { request: withoutIds(request), tools, messages, hints, choices: choices.map(textsOf) };
  const stored = redactedValue(texts, redact);
  if (stored === texts && texts.request === request) return call;
  const none = { ids: [], logprobs: [], versions: [] };
  const kept = choices.map(({ index, terminated, finishReason }, i) => ({
    index,
    terminated,
    finishReason,
    ...none,
    ...stored.choices[i],
  }));
  const { stops: _, ...sampling } = call.sampling;
  return { ...call, ...stored, sampling, redacted: true, promptIds: [], choices: kept };
}

const textsOf = ({
  message,
  stop,
  constraint,
}: RecordedChoice): Pick<RecordedChoice, 'message' | 'stop' | 'constraint'> => ({
  message,
  ...(stop !== undefined && { stop }),
  ...(constraint !== undefined && { constraint }),
});

/** Replaces a prompt that consists of token ids by the redaction mark, since the patterns cannot be applied to ids. */
function withoutIds(request: unknown): unknown {
  const { prompt } = (request ?? {}) as { prompt?: unknown };
  const isText = [prompt].flat().every((each) => each === undefined || typeof each === 'string');
  return isText ? request : { ...(request as object), prompt: MARK };
}
