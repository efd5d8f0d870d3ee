// Routes whose answers come from another endpoint: they pass through as they come, and are recorded before their last byte is sent.
import {
  messagesError,
  openaiError,
  sentDialogue,
  type CallProtocol,
  type Exchange,
  type HttpAnswer,
  type Protocol,
  type Route,
} from '@bowyer/serving';
import type { RecordedCall } from '../../record/recorded.js';
import type { Recorder, TrackedCall } from '../recorder.js';
import { foreignAnswer } from './foreign-answer.js';
import { HeldEvents } from './held-events.js';
import { UpstreamError } from './upstream-error.js';
import { askUpstream, type UpstreamAnswer, type UpstreamOptions } from './upstream.js';

const openaiCalls: Readonly<Record<string, CallProtocol>> = {
  '/v1/chat/completions': 'chat-completions',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
};
const anthropicCalls: Readonly<Record<string, CallProtocol>> = { '/v1/messages': 'messages', '/messages': 'messages' };

export function proxiedProtocols(recorder: Recorder, options: UpstreamOptions): Protocol[] {
  const protocol = (
    calls: typeof openaiCalls,
    errorBody: Protocol['errorBody'],
    others: readonly Route[],
  ): Protocol => {
    const routes = Object.entries(calls).map(([path, called]): Route => ({
      method: 'POST',
      path,
      respond: (exchange) =>
        orGatewayError(errorBody, () => recordedCall(recorder, options, { path, protocol: called }, exchange)),
    }));
    return { errorBody, routes: [...routes, ...others] };
  };
  const models: Route = {
    method: 'GET',
    path: '/v1/models',
    respond: ({ request: { headers }, signal }) =>
      orGatewayError(openaiError, async () =>
        plainAnswer(await askUpstream(options, '/v1/models', { headers, signal })),
      ),
  };
  return [protocol(openaiCalls, openaiError, [models]), protocol(anthropicCalls, messagesError, [])];
}

/** A fault of the endpoint, in the form of the protocol. */
async function orGatewayError<T>(errorBody: Protocol['errorBody'], respond: () => Promise<T>): Promise<T | HttpAnswer> {
  try {
    return await respond();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const { status, message } = error;
    return { status, json: errorBody({ kind: 'server', status, message, param: null, code: null }) };
  }
}

async function recordedCall(
  recorder: Recorder,
  options: UpstreamOptions,
  { path, protocol }: { path: string; protocol: CallProtocol },
  exchange: Exchange,
): Promise<HttpAnswer | null> {
  const { rollout, request, signal, response } = exchange;
  const { headers } = request;
  const call = await recorder.track({ rollout, protocol, path: exchange.path, headers, signal });
  try {
    const body = await exchange.body();
    const upstream = await askUpstream(options, path, { headers, body, signal });
    const { answer, asked } = upstream;
    if (!answer.ok) {
      call.failed(new Error(`${options.upstream} answered with status ${answer.status}`));
      return await plainAnswer(upstream);
    }
    const keep = async (text: string, isStream: boolean) => {
      await call.keep([await recordOf(call, options, { protocol, body, text, isStream, asked, signal })]);
      response.once('close', () => {
        if (!response.writableFinished) call.undelivered();
      });
    };
    if (answer.headers.get('content-type')?.includes('event-stream')) return await streamed(answer, exchange, keep);
    const text = await upstream.text();
    await keep(text, false);
    return { status: 200, text, headers: { 'content-type': 'application/json' } };
  } catch (error) {
    call.failed(error);
    throw error;
  }
}

async function streamed(
  answer: Response,
  { response, connection }: Exchange,
  keep: (text: string, isStream: boolean) => Promise<void>,
): Promise<null> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...connection,
  });
  response.flushHeaders();
  const decoder = new TextDecoder();
  const held = new HeldEvents();
  let text = '';
  for await (const piece of answer.body!) {
    const added = decoder.decode(piece, { stream: true });
    text += added;
    const passed = held.add(added);
    if (passed !== '') response.write(passed);
  }
  await keep(text, true);
  response.write(held.end());
  response.end();
  return null;
}

async function recordOf(
  { begun }: TrackedCall,
  { upstream }: UpstreamOptions,
  given: { protocol: CallProtocol; body: unknown; asked: string; signal: AbortSignal } & AnswerText,
): Promise<RecordedCall> {
  const { protocol, body, signal } = given;
  const dialogue = await sentDialogue(protocol, body, signal);
  const none = { ids: [], logprobs: [], versions: [], terminated: false };
  return {
    ...begun,
    upstream,
    request: body,
    sampling: {},
    template: null,
    tools: [...(dialogue?.tools ?? [])],
    messages: [...(dialogue?.messages ?? [])],
    promptIds: [],
    choices: choicesOf(given).map((choice, index) => ({ index, ...none, ...choice })),
    endedAt: Date.now(),
    delivered: true,
  };
}

interface AnswerText {
  text: string;
  isStream: boolean;
}

function choicesOf({ protocol, text, isStream, asked }: AnswerText & { protocol: CallProtocol; asked: string }) {
  try {
    return foreignAnswer(protocol, text, isStream);
  } catch (error) {
    throw UpstreamError.unreadable(asked, error);
  }
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
