// Reads spans of OTLP's JSON, and converts their attributes to JavaScript values.
import { keepNumber, numberText } from '@bowyer/text';
import { asRecord, BadItem, found } from '../files/data-error.js';
import { recordsOf } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

/** The parts of a span that are read, with attributes as JavaScript values. */
export interface GenAiSpan {
  name: string;
  trace: string;
  attributes: Item;
  /** The attributes of its events. */
  events: readonly { name: string; attributes: Item }[];
}

/** A call of a model as a conversation in the form of Chat Completions. */
export interface SpanCall {
  messages: Record<string, unknown>[];
  tools?: unknown;
}

/** Reads all spans of a batch. @throws {BadItem} where the structure is not OTLP's */
export function spansOf(item: Item): GenAiSpan[] {
  const spans: GenAiSpan[] = [];
  withSpans(item, (span) => spans.push(spanOf(span)) > 0);
  return spans;
}

/** Returns the batch with only the spans for which `keeps` returns true. @throws {BadItem} where the structure is not OTLP's */
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

/** Returns a list of keys with their values as an object. */
function membersOf(list: unknown, what: string): Item {
  const members: Record<string, unknown> = {};
  for (const { key, value } of recordsOf(list, what)) take(members, String(key), value);
  return members;
}

/** Puts a value into an object or array. */
function take(holder: object, key: string | number, any: unknown): void {
  const { value, text } = valueOf(any);
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  if (text !== undefined) keepNumber(holder, key, text);
}

/** Converts an AnyValue of OTLP, in which 64-bit integers are texts. The result has the `text` of a number too. */
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
