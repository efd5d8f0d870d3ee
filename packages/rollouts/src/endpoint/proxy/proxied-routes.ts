// Makes the HTTP routes of the recording proxy, whose answers come from another endpoint. Answers are sent to the agent as they
// arrive, and are recorded before their last byte is sent.
import {
  addEvent,
  AnswerEvents,
  modelCalls,
  openaiError,
  sentDialogue,
  UnreadAnswerError,
  type Exchange,
  type HttpAnswer,
  type ModelCalls,
  type Protocol,
  type ReadChoice,
  type Route,
} from '@bowyer/serving';
import { parseJson } from '@bowyer/text';
import { plainMessage } from '../../record/call-record.js';
import type { RecordedAnswer, RecordedCall } from '../../record/recorded.js';
import type { Recorder, TrackedCall } from '../recorder.js';
import { replayedAnswer } from '../replay/replay-server.js';
import { UpstreamError } from './upstream-error.js';
import type { UpstreamAnswer } from '../upstream-answer.js';
import { askUpstream, type UpstreamOptions } from './upstream.js';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream; charset=utf-8';

/** The largest number of characters of an endpoint's answer that is stored in the log for a later replay. */
const LONGEST_ANSWER = 2 ** 24;

/** Returns the routes of the model calls of all protocols, and the route that lists the models. */
export function proxiedProtocols(recorder: Recorder, options: UpstreamOptions): Protocol[] {
  const protocols = modelCalls.map((calls): Protocol => {
    const { errorBody, paths } = calls;
    const routes = paths.map((path): Route => ({
      method: 'POST',
      path,
      respond: (exchange) =>
        orGatewayError(errorBody, exchange, () => recordedCall(recorder, options, { path, calls }, exchange)),
    }));
    return { errorBody, routes };
  });
  const models: Route = {
    method: 'GET',
    path: '/v1/models',
    respond: (exchange) =>
      orGatewayError(openaiError, exchange, async () => {
        const { request, signal } = exchange;
        const { cassette } = options;
        if (cassette)
          return {
            status: 200,
            json: { object: 'list', data: cassette.models.map((id) => ({ id, object: 'model' })) },
          };
        return plainAnswer(await askUpstream(options, '/v1/models', { headers: request.headers, signal }));
      }),
  };
  return [...protocols, { errorBody: openaiError, routes: [models] }];
}

/** Answers with the result of `respond`, or converts its error about the endpoint to an error in the form of the protocol. */
async function orGatewayError(
  errorBody: Protocol['errorBody'],
  { response }: Exchange,
  respond: () => Promise<HttpAnswer | null>,
): Promise<HttpAnswer | null> {
  try {
    return await respond();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const { status, message } = error;
    if (response.headersSent) {
      response.destroy(); // if the endpoint's stream is interrupted, so is the agent's
      return null;
    }
    return { status, json: errorBody({ kind: 'server', status, message, param: null, code: null }) };
  }
}

async function recordedCall(
  recorder: Recorder,
  options: UpstreamOptions,
  { path, calls }: { path: string; calls: ModelCalls },
  exchange: Exchange,
): Promise<HttpAnswer | null> {
  const { rollout, request, signal, response } = exchange;
  const { headers } = request;
  const call = await recorder.track({ rollout, protocol: calls.name, path: exchange.path, headers, signal });
  try {
    const body = await exchange.body();
    const upstream = options.cassette
      ? replayedAnswer(options.cassette, calls.name, body)
      : await askUpstream(options, path, { headers, body, signal, keyHeader: calls.keyHeader });
    const { answer, asked } = upstream;
    if (!answer.ok) {
      call.failed(new Error(`${options.upstream} answered with status ${answer.status}`));
      return await plainAnswer(upstream);
    }
    const isStream = answer.headers.get('content-type')?.includes('event-stream') ?? false;
    const { n } = (body ?? {}) as { n?: unknown };
    const read = calls.answer(isStream, typeof n === 'number' ? n : 1);
    const keep = async (answer: RecordedAnswer | null) => {
      const choices = read.choices();
      const record = await recordOf(call, options, { calls, body, choices, signal });
      await call.keep([{ ...record, ...(answer !== null && { answer }) }]);
      response.once('close', () => {
        if (!response.writableFinished) call.undelivered();
      });
    };
    const unread = (error: unknown) => {
      if (!(error instanceof UnreadAnswerError)) throw error;
      call.failed(new Error(`${asked}: the answer was passed on, and is not recorded: ${error.message}`));
    };
    if (isStream) return await streamed(upstream, exchange, { read: addEvent(read), isEnd: calls.isEnd, keep, unread });
    const text = await upstream.text();
    const whole = jsonOf(text, asked);
    try {
      read.add(whole);
      await keep(text.length <= LONGEST_ANSWER ? { type: JSON_TYPE, text } : null);
    } catch (error) {
      unread(error);
    }
    return { status: 200, text, headers: { 'content-type': JSON_TYPE } };
  } catch (error) {
    call.failed(error);
    throw error;
  }
}

interface StreamRecord extends Pick<ModelCalls, 'isEnd'> {
  read: (data: Record<string, unknown> | '[DONE]' | null) => void;
  keep: (answer: RecordedAnswer | null) => Promise<void>;
  /**
   * Handles an error that occurs while the endpoint's answer is converted for the record. If the answer is of an unknown form,
   * the agent gets it, and it is not recorded. @throws any other error
   */
  unread: (error: unknown) => void;
}

async function streamed(
  { answer, asked }: UpstreamAnswer,
  { response, connection, signal }: Exchange,
  { read, isEnd, keep, unread }: StreamRecord,
): Promise<null> {
  response.writeHead(200, {
    'content-type': STREAM_TYPE,
    'cache-control': 'no-cache',
    ...connection,
  });
  response.flushHeaders();
  const decoder = new TextDecoder();
  const events = new AnswerEvents(read, isEnd);
  const sent: string[] = [];
  let length = 0;
  const send = (text: string) => {
    length += text.length;
    if (length <= LONGEST_ANSWER) sent.push(text);
    response.write(text);
  };
  try {
    for await (const piece of answer.body!) {
      const passed = events.add(decoder.decode(piece, { stream: true }));
      if (events.failure !== null) unread(events.failure);
      if (passed !== '') send(passed);
    }
  } catch (error) {
    throw signal.aborted ? error : UpstreamError.broken(asked, error);
  }
  const rest = events.end();
  try {
    if (events.failure !== null) throw events.failure;
    const isKept = length + rest.length <= LONGEST_ANSWER;
    await keep(isKept ? { type: STREAM_TYPE, text: sent.join('') + rest } : null);
  } catch (error) {
    unread(error);
  }
  response.write(rest);
  response.end();
  return null;
}

async function recordOf(
  { begun }: TrackedCall,
  { upstream }: UpstreamOptions,
  given: { calls: ModelCalls; body: unknown; choices: readonly ReadChoice[]; signal: AbortSignal },
): Promise<RecordedCall> {
  const { calls, body, choices, signal } = given;
  const { dialogue, unread } = await sentDialogue(calls, body, signal);
  const none = { ids: [], logprobs: [], versions: [], terminated: false };
  return {
    ...begun,
    upstream,
    request: body,
    sampling: {},
    template: null,
    tools: [...(dialogue?.tools ?? [])],
    messages: (dialogue?.messages ?? []).map(plainMessage),
    ...(unread !== undefined && { unread }),
    promptIds: [],
    choices: choices.map((choice, index) => ({ index, ...none, ...choice })),
    endedAt: Date.now(),
    delivered: true,
  };
}

/** Parses the endpoint's answer as JSON. @throws {UpstreamError} if it is not a JSON object */
function jsonOf(text: string, asked: string): Record<string, unknown> {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw UpstreamError.unreadable(asked, error);
  }
  throw UpstreamError.unreadable(asked, new Error('it is not a JSON object'));
}

async function plainAnswer({ answer: { status, headers }, text }: UpstreamAnswer): Promise<HttpAnswer> {
  const retryAfter = headers.get('retry-after');
  return {
    status,
    text: await text(),
    headers: {
      'content-type': headers.get('content-type') ?? 'application/json',
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
    },
  };
}
