// Reads the spans in a batch of OpenTelemetry's OTLP as JSON, and converts their attributes to JavaScript values.
import { keepNumber, numberText } from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';
import { recordsOf } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

/** The members of a span that this package reads, with attributes as JavaScript values. */
export interface GenAiSpan {
  name: string;
  trace: string;
  attributes: Item;
  events: readonly { name: string; attributes: Item }[];
}

/** A model call of a span as a conversation in the form of Chat Completions. */
export interface SpanCall {
  messages: Record<string, unknown>[];
  tools?: unknown;
}

/** Throws BadItem if the batch does not have OTLP's structure. */
export function spansOf(item: Item): GenAiSpan[] {
  const spans: GenAiSpan[] = [];
  withSpans(item, (span) => spans.push(spanOf(span)) > 0);
  return spans;
}

/** Returns a batch without the spans that `keeps` refuses. @throws {BadItem} if the batch does not have OTLP's structure */
export function withSpans(item: Item, keeps: (span: Item) => boolean): Record<string, unknown> {
  const resourceSpans = recordsOf(item.resourceSpans ?? item.resource_spans, "'resourceSpans'").map((resource) => {
    const scopes = recordsOf(resource.scopeSpans ?? resource.scope_spans ?? [], "'scopeSpans'");
    const scopeSpans = scopes.map((scope) => ({
      ...scope,
      spans: recordsOf(scope.spans ?? [], "'spans'").filter(keeps),
    }));
    return { ...resource, scopeSpans };
  });
  return { resourceSpans };
}

export function spanOf(span: Item): GenAiSpan {
  const trace = span.traceId ?? span.trace_id;
  if (typeof trace !== 'string' || trace === '') throw new BadItem(`'traceId' of a span is ${found(trace)}, not an id`);
  const events = recordsOf(span.events ?? [], "'events' of a span");
  return {
    name: String(span.name ?? ''),
    trace,
    attributes: attributesOf(span.attributes),
    events: events.map((event) => ({ name: String(event.name), attributes: attributesOf(event.attributes) })),
  };
}

function attributesOf(attributes: unknown): Item {
  return membersOf(attributes ?? [], "'attributes' of a span");
}

/** Converts a list of OTLP's key-value pairs to an object. */
function membersOf(list: unknown, what: string): Item {
  const members: Record<string, unknown> = {};
  for (const { key, value } of recordsOf(list, what)) take(members, String(key), value);
  return members;
}

/** Assigns a value of OTLP to a member of an object or an element of an array; a number keeps its digits. */
function take(holder: object, key: string | number, any: unknown): void {
  const { value, text } = valueOf(any);
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  if (text !== undefined) keepNumber(holder, key, text);
}

/** Converts an AnyValue of OTLP, whose 64-bit integers are strings. For a number, `text` contains its digits. */
function valueOf(given: unknown): { value: unknown; text?: string } {
  const any = asRecord(given) ?? {};
  const array = asRecord(any.arrayValue);
  const map = asRecord(any.kvlistValue);
  if (array !== null) {
    const items: unknown[] = [];
    recordsOf(array.values ?? [], 'an array of a span').forEach((each, i) => take(items, i, each));
    return { value: items };
  }
  if (map !== null) return { value: membersOf(map.values ?? [], 'a map of a span') };
  const { intValue, doubleValue } = any;
  if (intValue !== undefined) return { value: Number(intValue), text: String(intValue) };
  if (typeof doubleValue === 'number') return { value: doubleValue, text: numberText(any, 'doubleValue') };
  return { value: any.stringValue ?? doubleValue ?? any.boolValue ?? any.bytesValue ?? null };
}
