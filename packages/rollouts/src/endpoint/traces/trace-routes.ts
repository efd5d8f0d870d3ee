// Traces over OTLP/HTTP: `POST /v1/traces` with JSON keeps spans of calls of models, whose conversations can be learned by supervision.
// Source: the OpenTelemetry protocol specification, "OTLP/HTTP" and "Partial Success".
import { BadItem, checkedSpans } from '@bowyer/conversations';
import { BadRequestError, openaiError, type Exchange, type HttpAnswer, type Protocol } from '@bowyer/serving';
import type { TraceFile } from './trace-file.js';

/** Reasons that an answer names. */
const SHOWN = 5;

export const traceRoutes = (traces: TraceFile): Protocol => ({
  errorBody: openaiError,
  routes: [{ method: 'POST', path: '/v1/traces', respond: (exchange) => keep(traces, exchange) }],
});

async function keep(traces: TraceFile, exchange: Exchange): Promise<HttpAnswer> {
  const refusal = refusalOf(exchange);
  if (refusal !== null) return refusal;
  const { kept, spans, rejected } = checked(await exchange.body());
  if (spans > 0) await traces.append(kept);
  if (rejected.length === 0) return { status: 200, json: {} };
  const more = rejected.length > SHOWN ? [`… and ${rejected.length - SHOWN} more`] : [];
  const errorMessage = [...rejected.slice(0, SHOWN), ...more].join('; ');
  return { status: 200, json: { partialSuccess: { rejectedSpans: rejected.length, errorMessage } } };
}

function checked(body: unknown): ReturnType<typeof checkedSpans> {
  try {
    return checkedSpans(body);
  } catch (error) {
    throw error instanceof BadItem ? new BadRequestError(`the body is not OTLP: ${error.message}`) : error;
  }
}

/** Why a body is not read; null where it is as it was written. Bodies of other types than JSON are refused before. */
function refusalOf({ request: { headers } }: Exchange): HttpAnswer | null {
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding === 'identity') return null;
  const message =
    `the header Content-Encoding is '${encoding}'; traces are read uncompressed ` +
    '(OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=none)';
  return { status: 415, json: openaiError({ kind: 'invalid', status: 415, message, param: null, code: null }) };
}
