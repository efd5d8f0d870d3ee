// Defines what every API protocol implements: its routes, its errors, and the writers of its answers. protocols.ts lists them.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Rng } from '@bowyer/core';
import type { Steps } from '@bowyer/text';
import type { Choice, Completed } from '../generation/answer.js';
import type { CompletionRequest, RequestReader } from '../generation/completion-request.js';
import type { AdapterRegistry } from '../adapters/adapter-registry.js';
import type { SteppedTokenizer } from '../generation/stepped-tokenizer.js';
import type { HttpAnswer } from '../http/http-listener.js';
import { jsonBytesInSteps } from '../http/json-writing.js';
import type { CallObserver } from './call-observer.js';
import type { SentDialogue } from './dialogue.js';
import type { AnswerReader } from './upstream/answer-reader.js';

/** An API protocol, as protocols.ts lists it. */
export interface ProtocolUnit {
  serve: (served: ServedModels) => Protocol;
  /** The model calls of the protocol; absent if none of them can be recorded. */
  calls?: ModelCalls;
  /** Writes the table of the protocol's request fields for docs/models/request-fields.md. */
  fieldTable?: () => string;
}

/** The model calls of one protocol, described for recorders, and for proxies that forward calls to another endpoint. */
export interface ModelCalls {
  /** The name of the protocol, which records of its calls contain. */
  name: string;
  paths: readonly string[];
  errorBody: Protocol['errorBody'];
  /** The header with the client's API key, in addition to `authorization`; absent if the protocol has no such header. */
  keyHeader?: string;
  /** Reads the dialogue in a request's body; null where the body has none. */
  dialogue: (body: unknown, signal: AbortSignal) => Promise<SentDialogue | null>;
  /** Makes a reader for the answer of another endpoint. @param choices number of requested answers */
  answer: (isStream: boolean, choices: number) => AnswerReader;
  /** Whether an event is a stream's last; absent if a stream ends as OpenAI's do, when all choices have ended. */
  isEnd?: (event: Readonly<Record<string, unknown>>) => boolean;
}

export interface Protocol {
  routes: readonly Route[];
  /** Returns the body of an answer that reports a fault, in the protocol's form. */
  errorBody: (fault: Fault) => object;
  /** Returns the headers that all answers of the protocol have. */
  headers?: () => OutgoingHttpHeaders;
  /** Whether clients of other protocols use the routes too. They get errors and headers in the form of their own protocol. */
  isShared?: boolean;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path, such as `/v1/responses/{id}`, where a name in braces matches one segment. */
  path: string;
  /** Whether the route is only for the operator of the server, so that the API key of a rollout is not valid for it. */
  isOperators?: boolean;
  /** Returns null if the answer was sent as a stream, or the client has disconnected. */
  respond: (exchange: Exchange) => Promise<HttpAnswer | null>;
}

/** One request of a client, with what a route needs to answer it. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** The path as the client sent it, including the name of a rollout. */
  path: string;
  /** The rollout to which the request belongs, if an observer records rollouts; otherwise null. */
  rollout: string | null;
  /** The segments of the path that the route names in braces, by these names. */
  parameters: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Reads the body, and parses it as JSON. */
  body: () => Promise<unknown>;
  /** @param longest the most bytes */
  bytes: (longest: number) => Promise<Buffer>;
  /** The parsed body, after `body` has read it. */
  sent: () => unknown;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Headers for a streamed answer: they close the connection if the server is stopping. */
  connection: OutgoingHttpHeaders;
  faultOf: (error: unknown) => Fault;
}

/**
 * The kind of a fault. `invalid`: the request cannot be served in this form; `forbidden`: its API key is known, but not valid for
 * this route; `too many`: the queue is full; `overloaded`: the memory for requests is full.
 */
export type FaultKind =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not found'
  | 'too large'
  | 'too many'
  | 'overloaded'
  | 'server';

export interface Fault {
  kind: FaultKind;
  status: number;
  message: string;
  /** The request's field that caused the fault. */
  param: string | null;
  code: string | null;
  retryAfterS?: number;
}

export interface StorageLimits {
  /** The most responses that the Responses API stores; 0 to store none. */
  responses: number;
  /** The most bytes of the stored responses as JSON. Each response is counted together with the conversation before it. */
  bytes: number;
}

/** The objects of the server that its protocols use to answer requests. */
export interface ServedModels {
  name: string;
  /** The time when the server started, in seconds since 1970. */
  started: number;
  contextLength: number;
  /** The limits for responses that the Responses API stores. */
  storage: StorageLimits;
  /** Null if the model is an encoder, which writes no text. */
  generator: Generator | null;
  /** Null if the model is not an encoder. */
  embedder: Embedder | null;
  /** The loaded LoRA adapters; absent if the model was loaded without memory for them. */
  adapters?: ServedAdapters;
  /** The observer of all model calls, such as a recorder; none if not given. */
  observer?: CallObserver;
}

export interface ServedAdapters {
  registry: AdapterRegistry;
  modelFolder: string;
  /** Folders below which clients may have adapters loaded; if empty, the routes for loading do not exist. */
  allowedFolders: readonly string[];
  /** Receives messages that the operator of the server should read. */
  onNotice: (notice: string) => void;
}

/** An encoder that computes vectors of texts. */
export interface Embedder {
  tokenizer: SteppedTokenizer;
  /** The most tokens of a text. */
  contextLength: number;
  vocabSize: number;
  /** The number of elements of a vector. */
  dimensions: number;
  /** The most texts in one request. */
  mostTexts: number;
  /** Throws QueueFullError immediately, before any work. */
  vectors: (texts: readonly (readonly number[])[], signal: AbortSignal) => Promise<Float32Array[]>;
}

export interface Generator {
  reader: RequestReader;
  /**
   * @param rng for a request without a seed; the server's own random numbers if not given
   * @throws {QueueFullError} immediately, before any text is generated
   */
  run: (
    request: CompletionRequest,
    signal: AbortSignal,
    onPiece: (piece: Choice) => void,
    rng?: Rng,
  ) => Promise<Completed>;
}

/** Writes the answer to one request in a protocol's form: complete, or as the server-sent events of a stream. */
export interface AnswerWriter {
  /** The id of the answer, which its client receives. */
  readonly id: string;
  /** Writes the events at the beginning of a stream, before any token is generated. */
  begin: () => string;
  piece: (piece: Choice) => string;
  /** Writes the events at the end of a stream; in steps, if they repeat the whole answer. */
  end: (completed: Completed) => string | Steps<Buffer[]>;
  /** Writes the last event of a stream that a fault has interrupted. */
  fail: (fault: Fault) => string;
  /** Writes a complete answer; in steps, if it is also stored. */
  whole: (completed: Completed) => object | Steps<object>;
  /** Writes a heartbeat, which keeps the connection of a stream open while no token is generated. */
  idle?: () => string;
}

/** Writes a server-sent event. @param name event type, by which clients choose a handler; none if not given */
export const event = (data: object | string, name?: string): string =>
  `${headOf(name)}${typeof data === 'string' ? data : JSON.stringify(data)}${END}`;

/** Writes a server-sent event whose data may be long, in steps. */
export function* eventInSteps(data: object, name?: string): Steps<Buffer[]> {
  return [Buffer.from(headOf(name)), ...(yield* jsonBytesInSteps(data)), Buffer.from(END)];
}

const END = '\n\n';

const headOf = (name?: string): string => `${name === undefined ? '' : `event: ${name}\n`}data: `;
