// A request's way through the model: its answer is written whole, or streamed as it is generated.
import type { ServerResponse } from 'node:http';
import { BadRequestError } from '../generation/request-error.js';
import type { CompletionRequest } from '../generation/completion-request.js';
import type { Completed } from '../generation/answer.js';
import type { HttpAnswer } from '../http/http-listener.js';
import type { AnswerWriter, Exchange, Generator, ServedModels } from './protocol.js';

/** Bytes of a stream that its client has not read; with more it is left. */
const MOST_UNREAD = 2 ** 20;

/** Between two signs of life of a stream in which nothing is generated, in milliseconds. */
const IDLE_MS = 10_000;

/** @throws {BadRequestError} where the model writes no text */
export function generatorOf({ generator, name }: ServedModels): Generator {
  if (generator !== null) return generator;
  throw new BadRequestError(
    `'${name}' is an encoder, which writes no text; it serves POST /v1/embeddings`,
    'model',
    'unsupported',
  );
}

export async function answered(
  generator: Generator,
  request: CompletionRequest,
  writer: AnswerWriter,
  exchange: Exchange,
): Promise<HttpAnswer | null> {
  if (request.stream) return streamed(generator, request, writer, exchange);
  const completed = await generator.run(request, exchange.signal, () => undefined);
  return completed.aborted ? null : { status: 200, json: writer.whole(completed) };
}

async function streamed(
  generator: Generator,
  request: CompletionRequest,
  writer: AnswerWriter,
  { response, signal, connection, faultOf }: Exchange,
): Promise<null> {
  const write = (text: string) => send(response, text);
  const completion = generator.run(request, signal, (piece) => write(writer.piece(piece)));
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...connection,
  });
  response.flushHeaders();
  write(writer.begin());
  const idle = setInterval(() => write(writer.idle?.() ?? ''), IDLE_MS);
  try {
    finish(response, await completion, writer);
  } catch (error) {
    if (!signal.aborted && !response.destroyed) response.end(writer.fail(faultOf(error)));
  } finally {
    clearInterval(idle);
  }
  return null;
}

function finish(response: ServerResponse, completed: Completed, writer: AnswerWriter): void {
  if (!completed.aborted && !response.destroyed) response.end(writer.end(completed));
}

function send(response: ServerResponse, text: string): void {
  if (text === '' || response.destroyed) return;
  response.write(text);
  // An answer behind others on its connection has no socket of its own yet. The end of the socket ends the answer.
  if (response.writableLength > MOST_UNREAD) response.req.socket.destroy();
}
