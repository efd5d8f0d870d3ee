// Makes the route `POST /v1/traces` of OTLP/HTTP, by which agents send OpenTelemetry spans of model calls. A model can be trained
// on the conversations in them. Source: the OpenTelemetry protocol specification, "OTLP/HTTP" and "Partial Success".
import { BadItem, type CheckedSpans } from '@bowyer/conversations';
import { BadRequestError, inTurns, openaiError, type Exchange, type HttpAnswer, type Protocol } from '@bowyer/serving';
import { checkedBatch } from './checked-batch.js';
import { writeTracesAnswer } from './otlp-protobuf.js';
import { arrivedBody, batchOf, PROTOBUF, type TraceBody } from './trace-body.js';
import type { TraceFile } from './trace-file.js';
import type { TraceOwners } from './trace-owners.js';

/** The largest number of reasons for rejected spans in an answer. */
const SHOWN = 5;

export function traceRoutes(traces: TraceFile, owners: TraceOwners): Protocol {
  let last: Promise<unknown> = Promise.resolve();
  // Batches are decompressed and read one at a time, since a few bytes of gzip may expand to the largest body.
  const respond = async (exchange: Exchange): Promise<HttpAnswer> => {
    const body = await arrivedBody(exchange);
    const { rollout } = exchange;
    const answer = last.then(() => keep(traces, body, owners, rollout));
    last = answer.catch(() => undefined);
    return answer;
  };
  return { errorBody: openaiError, routes: [{ method: 'POST', path: '/v1/traces', respond }] };
}

async function keep(
  traces: TraceFile,
  body: TraceBody,
  owners: TraceOwners,
  rollout: string | null,
): Promise<HttpAnswer> {
  const otherOwner = (trace: string) => (rollout === null ? null : owners.claim(trace, rollout));
  const { kept, spans, rejected } = await checked(await batchOf(body), otherOwner);
  await owners.save();
  if (spans > 0) await traces.append(kept);
  const partialSuccess =
    rejected.length > 0 ? { rejectedSpans: rejected.length, errorMessage: reasonsOf(rejected) } : null;
  if (body.isProtobuf)
    return { status: 200, bytes: writeTracesAnswer(partialSuccess), headers: { 'content-type': PROTOBUF } };
  return { status: 200, json: partialSuccess === null ? {} : { partialSuccess } };
}

function reasonsOf(rejected: readonly string[]): string {
  const more = rejected.length > SHOWN ? [`… and ${rejected.length - SHOWN} more`] : [];
  return [...rejected.slice(0, SHOWN), ...more].join('; ');
}

async function checked(batch: unknown, otherOwner: (trace: string) => string | null): Promise<CheckedSpans> {
  try {
    return await inTurns(checkedBatch(batch, otherOwner));
  } catch (error) {
    throw error instanceof BadItem ? new BadRequestError(`the body is not OTLP: ${error.message}`) : error;
  }
}
