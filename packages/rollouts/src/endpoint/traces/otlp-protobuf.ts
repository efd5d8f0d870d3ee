// Decodes OpenTelemetry spans from protobuf to the JSON form of its protocol OTLP, and encodes the answer to the client.
import { protobuf } from '@bowyer/core';

const { bool, double, encodedBytes, fixed64Text, int32, int64, int64Text, string } = protobuf;
const { later, many, messageType, one, optional } = protobuf;

/** The largest number of values in a message, which is the same as for JSON bodies. */
const MOST_FIELDS = 250_000;

/** The types of values refer to each other, since a value may be a list of values. The reference is resolved at its first use. */
const innerValue = later(() => anyValue);
const innerPair = later(() => keyValue);
const anyValue = messageType('AnyValue', {
  stringValue: optional(1, string),
  boolValue: optional(2, bool),
  intValue: optional(3, int64Text),
  doubleValue: optional(4, double),
  arrayValue: optional(5, messageType('ArrayValue', { values: many(1, innerValue) })),
  kvlistValue: optional(6, messageType('KeyValueList', { values: many(1, innerPair) })),
  bytesValue: optional(7, encodedBytes('base64')),
});
const keyValue = messageType('KeyValue', { key: one(1, string), value: optional(2, anyValue) });
const event = messageType('Event', {
  timeUnixNano: one(1, fixed64Text),
  name: one(2, string),
  attributes: many(3, keyValue),
});
const span = messageType('Span', {
  traceId: one(1, encodedBytes('hex')),
  spanId: one(2, encodedBytes('hex')),
  parentSpanId: one(4, encodedBytes('hex')),
  name: one(5, string),
  kind: one(6, int32),
  startTimeUnixNano: one(7, fixed64Text),
  endTimeUnixNano: one(8, fixed64Text),
  attributes: many(9, keyValue),
  events: many(11, event),
  status: optional(15, messageType('Status', { message: one(2, string), code: one(3, int32) })),
});
const scopeSpans = messageType('ScopeSpans', {
  scope: optional(1, messageType('InstrumentationScope', { name: one(1, string), version: one(2, string) })),
  spans: many(2, span),
});
const resourceSpans = messageType('ResourceSpans', {
  resource: optional(1, messageType('Resource', { attributes: many(1, keyValue) })),
  scopeSpans: many(2, scopeSpans),
});
const request = messageType('ExportTraceServiceRequest', { resourceSpans: many(1, resourceSpans) });

/** Decodes a message of spans. @throws {protobuf.MessageError} if it is invalid or has too many levels or values */
export const readTraces = (content: Uint8Array): Record<string, unknown> => ({
  resourceSpans: [],
  // OTLP requires receivers to skip unknown fields.
  ...protobuf.decode(request, content, { unknown: 'skipped', mostFields: MOST_FIELDS }),
});

const answer = messageType('ExportTraceServiceResponse', {
  partialSuccess: optional(
    1,
    messageType('ExportTracePartialSuccess', { rejectedSpans: optional(1, int64), errorMessage: optional(2, string) }),
  ),
});

export const writeTracesAnswer = (rejected: { rejectedSpans: number; errorMessage: string } | null): Uint8Array =>
  protobuf.encode(answer, rejected === null ? {} : { partialSuccess: rejected });
