// Serves a sentence encoder over HTTP: POST /v1/embeddings, and the list of models. Requests are embedded one after another.
import type { SentenceEncoder } from '@bowyer/models';
import { QueueFullError } from '../engine/sequence-batcher.js';
import { SteppedTokenizer } from '../generation/stepped-tokenizer.js';
import { turn } from '../http/turn.js';
import type { Embedder } from '../protocols/protocol.js';
import { protocolsOf } from '../protocols/protocols.js';
import { seconds } from '../protocols/seconds.js';
import { ProtocolServer, type ProtocolServerOptions } from './protocol-server.js';

export interface EmbeddingServerOptions extends Pick<ProtocolServerOptions, 'host' | 'port' | 'apiKey' | 'onFault'> {
  encoder: SentenceEncoder;
  /** The name that clients use for the model. */
  name: string;
  /** The most requests that wait for the encoder; further ones are refused. */
  maxQueued: number;
}

/** The most texts in one request, as in OpenAI's API. */
const MOST_TEXTS = 2_048;

export class EmbeddingServer {
  private constructor(
    private readonly server: ProtocolServer,
    private readonly queue: EmbeddingQueue,
  ) {}

  static async listen({ encoder, name, maxQueued, ...options }: EmbeddingServerOptions): Promise<EmbeddingServer> {
    const queue = new EmbeddingQueue(encoder, maxQueued);
    const { contextLength } = encoder;
    const storage = { responses: 0, bytes: 0 };
    const served = { name, started: seconds(), contextLength, storage, generator: null, embedder: queue };
    const health = () => ({ waiting: queue.waiting });
    return new EmbeddingServer(
      await ProtocolServer.listen({ ...options, protocols: protocolsOf(served), health }),
      queue,
    );
  }

  /** Returns the base URL for clients, which ends with the API's version. */
  get url(): string {
    return this.server.url;
  }

  /** Stops the server: it accepts no further request, and answers those in progress. The encoder stays open. */
  async close(): Promise<void> {
    await this.server.close();
    await this.queue.last;
  }
}

/** The number of texts that are embedded in one batch, after which other work of the server can run. */
const AT_ONCE = 32;

class EmbeddingQueue implements Embedder {
  readonly tokenizer: SteppedTokenizer;
  readonly mostTexts = MOST_TEXTS;
  waiting = 0;
  last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly encoder: SentenceEncoder,
    private readonly maxQueued: number,
  ) {
    this.tokenizer = new SteppedTokenizer(encoder.tokenizer);
  }

  get dimensions(): number {
    return this.encoder.dimensions;
  }

  get contextLength(): number {
    return this.encoder.contextLength;
  }

  get vocabSize(): number {
    return this.encoder.vocabSize;
  }

  vectors(texts: readonly (readonly number[])[], signal: AbortSignal): Promise<Float32Array[]> {
    if (this.waiting > this.maxQueued) throw new QueueFullError(`${this.waiting} requests are queued`);
    this.waiting++;
    const vectors = this.last.then(() => this.#vectorsOf(texts, signal));
    this.last = vectors.catch(() => undefined).then(() => this.waiting--);
    return vectors;
  }

  async #vectorsOf(texts: readonly (readonly number[])[], signal: AbortSignal): Promise<Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let begin = 0; begin < texts.length; begin += AT_ONCE) {
      signal.throwIfAborted();
      vectors.push(...(await this.encoder.vectors(texts.slice(begin, begin + AT_ONCE))));
      await turn();
    }
    return vectors;
  }
}
