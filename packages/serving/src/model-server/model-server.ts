// A language model over OpenAI's HTTP protocol: chat completions and completions, whole or streamed, many at once.
// Stops gracefully: answers in progress are finished.
import { randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Rng } from '@bowyer/core';
import { endOfText, type LanguageModel, type LogitRules, noLogitRules } from '@bowyer/models';
import type { ChatTemplate } from '@bowyer/text';
import { HttpListener, pathOf, whenClientLeaves, type HttpAnswer } from '../http/http-listener.js';
import { readJson } from '../http/json-text.js';
import { BodyError } from '../http/request-body.js';
import type { Refusal } from '../http/request-guard.js';
import {
  answerPiece,
  errorBody,
  modelEntry,
  usagePiece,
  wholeAnswer,
  type AnswerHead,
  type AnswerKind,
} from '../protocols/openai/completion-answers.js';
import { callFormat } from '../tool-calls/call-format.js';
import type { CallFormat } from '../tool-calls/message-parts.js';
import type { CompletionRequest, RequestReader } from '../generation/completion-request.js';
import { readChatRequest } from '../protocols/openai/read-chat-request.js';
import { readTextRequest } from '../protocols/openai/read-text-request.js';
import { runCompletion, type Completed } from '../generation/completion-run.js';
import { BadRequestError } from '../protocols/openai/request-fields.js';
import { QueueFullError, SequenceBatcher, type SequenceBatcherOptions } from '../engine/sequence-batcher.js';
import type { SteppedTokenizer } from '../generation/stepped-tokenizer.js';

export interface ModelServerOptions extends SequenceBatcherOptions {
  model: LanguageModel;
  /** The model's, which the template must have been given too: long texts are encoded in steps. */
  tokenizer: SteppedTokenizer;
  /** The name that clients use for the model. */
  name: string;
  /** Null: no chat. */
  template: ChatTemplate | null;
  /** Makes the template that a request brings, with the tokenizer above; requests that bring one are refused if not given. */
  templateOf?: (source: string) => ChatTemplate;
  host: string;
  /** 0: any free one. */
  port: number;
  /** Clients must send it as a bearer token; null: no key is required. */
  apiKey: string | null;
  /** Tokens that end an answer in addition to those of the model and the template. */
  terminatorIds?: readonly number[];
  /** The seed of the answers to requests without one. */
  seed: number;
  /** The changes that the text so far makes to logits; a request may bring another repetition penalty. Nothing if not given. */
  rules?: LogitRules;
  /** Chats' answers are split into reasoning, content and calls of tools; false if not given: content is the whole text. */
  splitsMessages?: boolean;
  /** The values for a request that leaves them out. */
  defaults: RequestReader['defaults'];
  /** Called on faults of the server, which the client sees as status 500. */
  onFault?: (error: Error) => void;
}

const LONGEST_BODY = 8 * 2 ** 20;

/** Bytes of a stream that its client has not read; with more it is left. */
const MOST_UNREAD = 2 ** 20;

const RETRY_AFTER_S = 1;

export class ModelServer {
  #listener!: HttpListener;
  readonly #reader: RequestReader;
  readonly #terminatorIds: readonly number[];
  readonly #rng: Rng;
  readonly #started = seconds();
  /** Read when the first request has tools. */
  readonly #callFormats = new WeakMap<ChatTemplate, { format: CallFormat | null }>();

  private constructor(
    private readonly options: ModelServerOptions,
    private readonly batcher: SequenceBatcher,
  ) {
    const {
      model,
      tokenizer,
      template,
      templateOf,
      name,
      slots,
      maxQueued,
      defaults,
      seed,
      rules = noLogitRules,
      terminatorIds = [],
    } = options;
    const { contextLength, architecture } = model;
    this.#reader = {
      tokenizer,
      template,
      templateOf,
      contextLength,
      vocabSize: architecture.vocabSize,
      name,
      defaults,
      maskedTokenIds: model.maskedTokenIds,
      slots,
      maxAnswers: slots + maxQueued,
      rules,
      callFormat: options.splitsMessages ? (of) => this.#callFormat(of) : undefined,
    };
    this.#terminatorIds = [...new Set([...terminatorIds, ...(template?.terminatorIds ?? []), ...endOfText(model)])];
    this.#rng = Rng.forPurpose(seed, 'answers');
  }

  #callFormat(template: ChatTemplate): CallFormat | null {
    const known = this.#callFormats.get(template) ?? { format: callFormat(template, this.options.tokenizer) };
    this.#callFormats.set(template, known);
    return known.format;
  }

  /** @returns the server once it listens */
  static async listen(options: ModelServerOptions): Promise<ModelServer> {
    const batcher = await SequenceBatcher.open(options.model, options);
    const server = new ModelServer(options, batcher);
    try {
      const { host, port } = options;
      const respond = (request: IncomingMessage, response: ServerResponse) => server.#respond(request, response);
      const refuse = ({ status, message }: Refusal) => ({ status, json: errorBody(message, 'invalid_request_error') });
      server.#listener = await HttpListener.listen({ host, port, respond, refuse, onFault: options.onFault });
    } catch (error) {
      await batcher.close();
      throw error;
    }
    return server;
  }

  /** The base URL that a client is given, up to the version. */
  get url(): string {
    return `${this.#listener.origin}/v1`;
  }

  /** Applies a change of the model's weights between two answers: those in progress are finished first, the next ones wait. */
  changeWeights(apply: () => Promise<void>): Promise<void> {
    return this.batcher.changeWeights(apply);
  }

  /** Accepts no further request, finishes the answers in progress, frees the cache. The model stays with its owner. */
  async close(): Promise<void> {
    await this.#listener.close();
    await this.batcher.close();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.#answer(request, response);
      if (answer !== null) this.#listener.send(request, response, answer);
    } catch (error) {
      if ((request.destroyed && !request.complete) || response.destroyed) return; // the client left before it had asked
      const answer = this.#fault(error);
      if (!response.headersSent) this.#listener.send(request, response, answer);
      else if (!response.destroyed) response.end(`data: ${JSON.stringify(answer.json)}\n\n`);
    }
  }

  /** While the server stops, connections must not be kept. */
  get #connection(): object {
    return this.#listener.isListening ? {} : { connection: 'close' };
  }

  /** @returns null where the answer was streamed */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer | null> {
    const route = `${request.method} ${pathOf(request).path.replace(/\/$/, '')}`;
    if (route === 'GET /health') return { status: 200, json: { status: 'ok', ...this.batcher.load } };
    const refusal = this.#refusal(request);
    if (refusal !== null) return refusal;
    const entry = modelEntry(this.options.name, this.#started, this.#reader.contextLength);
    switch (route) {
      case 'GET /v1/models':
        return { status: 200, json: { object: 'list', data: [entry] } };
      case 'POST /v1/chat/completions':
        return this.#complete('chat', request, response);
      case 'POST /v1/completions':
        return this.#complete('text', request, response);
      default:
        return route === `GET /v1/models/${encodeURIComponent(this.options.name)}`
          ? { status: 200, json: entry }
          : { status: 404, json: errorBody(`Unknown request: ${route}`, 'invalid_request_error') };
    }
  }

  /** Null for authorized clients. */
  #refusal({ headers }: IncomingMessage): HttpAnswer | null {
    const { apiKey } = this.options;
    if (apiKey === null || sameText(keyOf(headers.authorization), apiKey)) return null;
    const problem =
      headers.authorization === undefined ? 'You did not provide an API key' : 'Incorrect API key provided';
    const json = errorBody(
      `${problem}; this server requires one as 'Authorization: Bearer KEY'`,
      'invalid_request_error',
      {
        code: 'invalid_api_key',
      },
    );
    return { status: 401, json };
  }

  async #complete(kind: AnswerKind, request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer | null> {
    const body = await readJson(request, LONGEST_BODY);
    const gone = new AbortController();
    const stopWatching = whenClientLeaves(request, () => gone.abort());
    try {
      const asked = await (kind === 'chat' ? readChatRequest : readTextRequest)(body, this.#reader, gone.signal);
      return await this.#answered(kind, asked, response, gone.signal);
    } catch (error) {
      if (gone.signal.aborted) return null; // the client has disconnected
      throw error;
    } finally {
      stopWatching();
    }
  }

  async #answered(
    kind: AnswerKind,
    asked: CompletionRequest,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<HttpAnswer | null> {
    const id = `${kind === 'chat' ? 'chatcmpl' : 'cmpl'}-${randomUUID().replaceAll('-', '')}`;
    const head: AnswerHead = { kind, id, created: seconds(), model: this.options.name };
    const names = asked.namesTokensById ? 'ids' : 'texts';
    const write = (piece: object) => {
      response.write(`data: ${JSON.stringify(piece)}\n\n`);
      if (response.writableLength > MOST_UNREAD) response.socket?.destroy(); // which ends the answer
    };
    const begun = new Set<number>();
    const completion = this.#run(asked, signal, (piece) => {
      if (!asked.stream || response.destroyed) return;
      write(answerPiece(head, piece, !begun.has(piece.index), names));
      begun.add(piece.index);
    });
    if (asked.stream) {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        ...this.#connection,
      });
      response.flushHeaders();
    }
    const { choices, usage, aborted } = await completion;
    if (aborted) return null; // the client has disconnected
    if (!asked.stream) return { status: 200, json: wholeAnswer(head, choices, usage, names) };
    if (asked.streamsUsage) write(usagePiece(head, usage));
    response.end('data: [DONE]\n\n');
    return null;
  }

  /** Not async, so that a full queue is reported before a stream begins. */
  #run(
    request: CompletionRequest,
    signal: AbortSignal,
    onPiece: Parameters<typeof runCompletion>[1]['onPiece'],
  ): Promise<Completed> {
    const { tokenizer } = this.options.model;
    const terminatorIds = this.#terminatorIds;
    return runCompletion(this.batcher, { request, tokenizer, terminatorIds, rng: this.#rng, signal, onPiece });
  }

  #fault(error: unknown): HttpAnswer {
    if (error instanceof BodyError) {
      const { status, message, reason } = error;
      const code = reason === 'too large' ? 'too_large' : null;
      const json = errorBody(message, status === 503 ? 'server_error' : 'invalid_request_error', { param: null, code });
      return { status, json, ...(status === 503 && { retryAfterS: RETRY_AFTER_S }) };
    }
    if (error instanceof BadRequestError) {
      const { message, param, code } = error;
      const status = code === 'model_not_found' ? 404 : 400;
      return { status, json: errorBody(message, 'invalid_request_error', { param, code }) };
    }
    if (error instanceof QueueFullError) {
      const json = errorBody(`Too many requests: ${error.message}`, 'rate_limit_error', {
        code: 'rate_limit_exceeded',
      });
      return { status: 429, json, retryAfterS: RETRY_AFTER_S };
    }
    this.options.onFault?.(error instanceof Error ? error : new Error(String(error)));
    return { status: 500, json: errorBody('The server had an error while processing your request', 'server_error') };
  }
}

const seconds = () => Math.floor(Date.now() / 1000);

/** In constant time. */
function sameText(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length === y.length && timingSafeEqual(x, y);
}

/** The key of `Bearer KEY`, the scheme in any case (RFC 9110, section 11.1); '' where there is none. */
const keyOf = (authorization = ''): string => /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
