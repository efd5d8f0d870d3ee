// Spans of OTLP's JSON, with attributes as values of the language.
import { asRecord, BadItem, found } from '../files/data-error.js';
import { recordsOf } from './part-text.js';

type Item = Readonly<Record<string, unknown>>;

/** The parts of a span that are read. Attributes have the values of the language, numbers and texts. */
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

/** @throws {BadItem} where the structure is not OTLP's */
export function spansOf(item: Item): GenAiSpan[] {
  const spans: GenAiSpan[] = [];
  withSpans(item, (span) => spans.push(spanOf(span)) > 0);
  return spans;
}

/** A batch with the spans that `keeps` names. @throws {BadItem} where the structure is not OTLP's */
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
  const list = recordsOf(attributes ?? [], "'attributes' of a span");
  return Object.fromEntries(list.map(({ key, value }) => [String(key), valueOf(value)]));
}

/** AnyValue of OTLP; 64-bit integers are texts there. */
function valueOf(value: unknown): unknown {
  const any = asRecord(value) ?? {};
  const array = asRecord(any.arrayValue);
  const map = asRecord(any.kvlistValue);
  if (array !== null) return recordsOf(array.values ?? [], 'an array of a span').map(valueOf);
  if (map !== null)
    return Object.fromEntries(
      recordsOf(map.values ?? [], 'a map of a span').map(({ key, value: each }) => [String(key), valueOf(each)]),
    );
  if (any.intValue !== undefined) return Number(any.intValue);
  return any.stringValue ?? any.doubleValue ?? any.boolValue ?? any.bytesValue ?? null;
}
