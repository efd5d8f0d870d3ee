// Answers agents' model calls with recorded answers, without a model or an endpoint, so that every run gets the same ones.
import {
  BadRequestError,
  modelCalls,
  ProtocolServer,
  type Exchange,
  type HttpAnswer,
  type Protocol,
} from '@bowyer/serving';
import type { UpstreamAnswer } from '../upstream-answer.js';
import { Cassette, UnrecordedRequestError } from './cassette.js';

export interface ReplayServerOptions {
  /** The folder of a record of rollouts whose answers came from an endpoint. */
  folder: string;
  host: string;
  /** The port; 0 selects any free port. */
  port: number;
  /** The API key that clients must send; null: no key is needed. */
  apiKey: string | null;
  /** Names of members of requests that may differ from the recorded ones. */
  ignore?: readonly string[];
  /** Receives faults of this server, which the client sees as HTTP status 500. */
  onFault?: (error: Error) => void;
}

export class ReplayServer {
  private constructor(
    private readonly server: ProtocolServer,
    private readonly cassette: Cassette,
  ) {}

  /** Starts the server. A request that was not recorded gets status 400 and the differences from the most similar one. */
  static async listen({ folder, ignore, ...options }: ReplayServerOptions): Promise<ReplayServer> {
    const cassette = await Cassette.read(folder, ignore);
    const protocols = modelCalls.map(({ name, errorBody, paths }): Protocol => ({
      errorBody,
      routes: paths.map((path) => ({
        method: 'POST',
        path,
        respond: (exchange) => replayed(cassette, name, exchange),
      })),
    }));
    const server = await ProtocolServer.listen({ ...options, protocols, health: () => ({ replays: folder }) });
    return new ReplayServer(server, cassette);
  }

  /** Returns the server's address `http://ADDRESS:PORT`. */
  get origin(): string {
    return new URL(this.server.url).origin;
  }

  /** Returns the number of recorded answers that no request has got yet. */
  get left(): number {
    return this.cassette.left;
  }

  /** Stops accepting requests, and finishes the answers in progress. */
  close(): Promise<void> {
    return this.server.close();
  }
}

async function replayed(cassette: Cassette, protocol: string, exchange: Exchange): Promise<HttpAnswer | null> {
  const { type, text } = answerTo(cassette, protocol, await exchange.body());
  if (!type.includes('event-stream')) return { status: 200, text, headers: { 'content-type': type } };
  const { response, connection } = exchange;
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache', ...connection });
  for (const event of eventsOf(text)) response.write(event);
  response.end();
  return null;
}

/** Splits the recorded text of an event stream into its server-sent events. */
const eventsOf = (text: string): string[] => text.split(/(?<=\r?\n\r?\n)/);

/** Returns a recorded answer as if an endpoint had sent it, for recording it again. @throws {BadRequestError} if there is none */
export function replayedAnswer(cassette: Cassette, protocol: string, body: unknown): UpstreamAnswer {
  const { type, text } = answerTo(cassette, protocol, body);
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const event of eventsOf(text)) controller.enqueue(Buffer.from(event));
      controller.close();
    },
  });
  const answer = new Response(pieces, { headers: { 'content-type': type } });
  return { asked: 'the recording', answer, text: () => Promise.resolve(text) };
}

function answerTo(cassette: Cassette, protocol: string, body: unknown): ReturnType<Cassette['answer']> {
  try {
    return cassette.answer(protocol, body);
  } catch (error) {
    throw error instanceof UnrecordedRequestError ? new BadRequestError(error.message) : error;
  }
}
