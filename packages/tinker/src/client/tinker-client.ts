// A client of the Tinker API, the HTTP API of Thinking Machines' training service, which fetches results by long polling.
import { randomUUID } from 'node:crypto';
import { protobuf } from '@bowyer/core';
import { forwardBackwardOutput, sampleResponse } from '../wire/messages.js';
import { lossJson, sampleJson } from '../wire/results.js';
import type { TensorJson } from '../wire/tensors.js';

export interface TinkerClientOptions {
  /** The server's URL, without a path. */
  baseURL: string;
  /** The API key, which begins with `tml-`. */
  apiKey: string;
}

/** The error for a request that the server refused, or whose result (future) is a failure. */
export class TinkerError extends Error {
  override readonly name = 'TinkerError';

  constructor(
    message: string,
    /** The HTTP status; 200 for a future that failed. */
    readonly status: number,
    readonly category: string | null = null,
  ) {
    super(message);
  }
}

const REDUCTIONS = ['mean', 'sum', 'min', 'max', 'slack', 'hash_unordered', 'unique'];

export class TinkerClient {
  constructor(private readonly options: TinkerClientOptions) {}

  /** @param path the route's path after `/api/v1/` @throws {TinkerError} */
  async send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object | Uint8Array,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { baseURL, apiKey } = this.options;
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(`${baseURL}/api/v1/${path}`, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(method !== 'GET' && { 'x-idempotency-key': randomUUID() }),
        ...(body !== undefined && { 'content-type': isBytes ? 'application/x-protobuf' : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    if (response.ok) return response;
    const text = await response.text();
    throw new TinkerError(`${method} ${path} has status ${response.status}: ${text}`, response.status);
  }

  async json<Reply = Record<string, unknown>>(...sent: Parameters<TinkerClient['send']>): Promise<Reply> {
    return (await (await this.send(...sent)).json()) as Reply;
  }

  /** Sends a request that gets a future, and waits for its result. */
  async run<Reply = Record<string, unknown>>(path: string, body: object | Uint8Array): Promise<Reply> {
    const { request_id: id } = await this.json<{ request_id: string }>('POST', path, body);
    return this.result<Reply>(id);
  }

  /** Waits for the result of a future. @throws {TinkerError} if it failed, or its type is not the expected one */
  async result<Reply = Record<string, unknown>>(id: string, form: 'protobuf' | 'json' = 'protobuf'): Promise<Reply> {
    for (;;) {
      const accept = form === 'protobuf' ? 'application/x-protobuf, application/json' : 'application/json';
      const response = await this.send('POST', 'retrieve_future', { request_id: id }, { accept });
      const isProtobuf = response.headers.get('content-type') === 'application/x-protobuf';
      const reply = isProtobuf
        ? resultOf(new Uint8Array(await response.arrayBuffer()))
        : ((await response.json()) as Record<string, unknown>);
      if (reply.type === 'try_again') continue;
      if (typeof reply.error === 'string') throw new TinkerError(reply.error, 200, String(reply.category));
      checkMetrics(reply.metrics);
      checkTensors(reply.loss_fn_outputs);
      return reply as Reply;
    }
  }
}

/**
 * Decodes a result in protobuf, which does not say whether it is that of a sample or of a loss. Field 1 shows it: in a sample it
 * contains sequences, which are messages; in a loss it contains the name of the outputs' type.
 */
function resultOf(bytes: Uint8Array): Record<string, unknown> {
  const isLoss = (() => {
    try {
      return (protobuf.decode(forwardBackwardOutput, bytes).lossFnOutputType ?? '').length > 0;
    } catch {
      return false;
    }
  })();
  if (isLoss) return lossJson(bytes) as Record<string, unknown>;
  protobuf.decode(sampleResponse, bytes);
  return sampleJson(bytes) as Record<string, unknown>;
}

function checkMetrics(metrics: unknown): void {
  for (const name of Object.keys((metrics ?? {}) as object)) {
    const [, reduction, ...rest] = name.split(':');
    if (rest.length > 0 || !REDUCTIONS.includes(reduction ?? ''))
      throw new TinkerError(`the metric '${name}' is not named NAME:REDUCTION`, 200);
  }
}

function checkTensors(outputs: unknown): void {
  for (const output of (outputs ?? []) as Record<string, TensorJson>[])
    for (const [name, { data, dtype, shape }] of Object.entries(output)) {
      const size = (shape ?? [data.length]).reduce((product, length) => product * length, 1);
      if (!['float32', 'int64'].includes(dtype) || size !== data.length)
        throw new TinkerError(
          `the output '${name}' has ${data.length} numbers of ${dtype} in the shape [${shape?.join(', ')}]`,
          200,
        );
    }
}
