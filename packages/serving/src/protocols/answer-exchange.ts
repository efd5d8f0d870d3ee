// Generates the answer to a client's request, and sends it complete or as a stream while it is generated.
import type { ServerResponse } from 'node:http';
import { BadRequestError } from '../generation/request-error.js';
import type { CompletionRequest, RequestReader } from '../generation/completion-request.js';
import type { Choice, Completed } from '../generation/answer.js';
import type { HttpAnswer } from '../http/http-listener.js';
import { inTurns } from '../http/turn.js';
import type { ObservedCall } from './call-observer.js';
import type { AnswerWriter, Exchange, Generator, ModelCalls, Route, ServedModels } from './protocol.js';

/** The most bytes of a stream that its client has not read yet; a slower client is disconnected. */
const MOST_UNREAD = 2 ** 20;

/** Milliseconds between two heartbeats that a stream sends while there are no new tokens. */
const IDLE_MS = 10_000;

/** Returns the generator of answers. @throws {BadRequestError} if the served model is an encoder, which writes no text */
export function generatorOf({ generator, name }: ServedModels): Generator {
  if (generator !== null) return generator;
  throw new BadRequestError(
    `'${name}' is an encoder, which writes no text; it serves POST /v1/embeddings`,
    'model',
    'unsupported',
  );
}

export interface ModelCall {
  generator: Generator;
  reader: RequestReader;
  exchange: Exchange;
  /** Null if the server has no observer. */
  observed: ObservedCall | null;
}

/**
 * Answers a call of the model, and reports its beginning and its end to the server's observer, such as a recorder.
 *
 * @throws {BadRequestError} if the served model writes no text
 */
export async function inCall(
  served: ServedModels,
  { name: protocol }: Pick<ModelCalls, 'name'>,
  exchange: Exchange,
  respond: (call: ModelCall) => Promise<HttpAnswer | null>,
): Promise<HttpAnswer | null> {
  const generator = generatorOf(served);
  const { path, rollout, request, signal } = exchange;
  const { headers } = request;
  if (!served.observer) return respond({ generator, reader: generator.reader, exchange, observed: null });
  const observed = await served.observer.open({ rollout, protocol, path, headers, signal });
  try {
    return await respond({ generator, reader: { ...generator.reader, prompt: observed.prompt }, exchange, observed });
  } catch (error) {
    observed.failed(error);
    throw error;
  }
}

/** Makes a protocol's POST routes of model calls from its reader of bodies and its writer of answers. */
export const callRoutes = (
  served: ServedModels,
  calls: Pick<ModelCalls, 'name' | 'paths'>,
  read: (body: unknown, reader: RequestReader, signal: AbortSignal) => Promise<CompletionRequest>,
  writer: (request: CompletionRequest) => AnswerWriter,
): Route[] =>
  calls.paths.map((path) => ({
    method: 'POST',
    path,
    respond: (exchange) =>
      inCall(served, calls, exchange, async (call) => {
        const request = await read(await exchange.body(), call.reader, exchange.signal);
        return answered(call, request, writer(request));
      }),
  }));

export async function answered(
  call: ModelCall,
  sent: CompletionRequest,
  writer: AnswerWriter,
): Promise<HttpAnswer | null> {
  const request = call.observed?.settled?.(sent) ?? sent;
  if (request.stream) return streamed(call, request, writer);
  const { generator, observed, exchange } = call;
  const completed = await generator.run(request, exchange.signal, () => undefined, observed?.rng);
  await kept(call, request, completed, writer.id);
  if (completed.aborted) return null;
  const whole = writer.whole(completed);
  return { status: 200, json: Symbol.iterator in whole ? await inTurns(whole) : whole };
}

async function streamed(call: ModelCall, request: CompletionRequest, writer: AnswerWriter): Promise<null> {
  const { generator, observed, exchange } = call;
  const { response, signal, connection, faultOf } = exchange;
  const write = (text: string) => send(response, text);
  const ends: string[] = [];
  const onPiece = (piece: Choice) => {
    const text = writer.piece(piece);
    // The end is held back until the observer has stored the call, since clients disconnect once they have it.
    if (observed !== null && piece.finishReason !== null) ends.push(text);
    else write(text);
  };
  const completion = generator.run(request, signal, onPiece, observed?.rng);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...connection,
  });
  response.flushHeaders();
  write(writer.begin());
  const idle = setInterval(() => write(writer.idle?.() ?? ''), IDLE_MS);
  try {
    const completed = await completion;
    await kept(call, request, completed, writer.id);
    if (completed.aborted || response.destroyed) return null;
    const end = writer.end(completed);
    const last = typeof end === 'string' ? [end] : await inTurns(end, signal);
    response.cork();
    for (const part of [ends.join(''), ...last]) if (part.length > 0) response.write(part);
    response.uncork(); // Node 24.9 drops data that is corked at the end of a response
    response.end();
  } catch (error) {
    observed?.failed(error);
    if (!signal.aborted && !response.destroyed) response.end(writer.fail(faultOf(error)));
  } finally {
    clearInterval(idle);
  }
  return null;
}

/** Waits until the observer has stored the answers, and informs it if the connection then breaks before the client has them. */
async function kept(
  { observed, exchange }: ModelCall,
  request: CompletionRequest,
  completed: Completed,
  id: string,
): Promise<void> {
  if (observed === null) return;
  const { response, signal } = exchange;
  await observed.completed(exchange.sent(), request, completed, id);
  if (completed.aborted) return; // the observer stores it as aborted
  if (signal.aborted || response.destroyed) return observed.undelivered();
  response.once('close', () => {
    if (!response.writableFinished) observed.undelivered();
  });
}

function send(response: ServerResponse, text: string): void {
  if (text === '' || response.destroyed) return;
  response.write(text);
  // The request's socket is closed, since a response that waits for an earlier one on the same connection has no socket yet.
  if (response.writableLength > MOST_UNREAD) response.req.socket.destroy();
}
