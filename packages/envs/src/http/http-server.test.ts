import type { IncomingMessage, ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { Rng } from '@bowyer/core';
import { answerRequests } from '@bowyer/testing';
import { HttpError } from './http-error.js';
import { HttpServer, RefusedAnswer, type HttpServerOptions } from './http-server.js';
import { OpenAiChat } from './openai-chat.js';
import { backoff, retryAfter } from './retry-policy.js';

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const quick: Partial<HttpServerOptions> = { retries: 3, backoffMs: 4, maxBackoffMs: 8, answerTimeoutMs: 1000 };
const answer =
  (status: number, body: string, headers: Record<string, string> = {}): Reply =>
  (_, response) =>
    response.writeHead(status, headers).end(body);
const reset: Reply = (request) => request.socket.resetAndDestroy();

const running: { close: () => void; client: HttpServer }[] = [];
afterEach(async () => {
  for (const { close, client } of running.splice(0)) {
    await client.close();
    close();
  }
});

/** Starts a server that answers its nth request by the nth reply, and repeats the last one. */
async function serving(replies: Reply[], options: Partial<HttpServerOptions> = {}) {
  const seen: string[] = [];
  const {
    server,
    address: url,
    close,
  } = await answerRequests<unknown>(({ route, json, request, response }) => {
    seen.push(json === undefined ? route : `${route} ${JSON.stringify(json)}`);
    replies[Math.min(seen.length, replies.length) - 1](request, response);
  });
  const client = new HttpServer(url, { ...quick, ...options });
  running.push({ close, client });
  return { seen, server, client, url };
}

const step = { method: 'POST', path: '/step', json: { action: 'go' }, read: (body: unknown) => body } as const;
const look = { method: 'GET', path: '/observation?id=0', read: (body: unknown) => body } as const;
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error as HttpError,
  );

test.each([
  ['a connection that is reset', reset],
  ['502', answer(502, 'Bad Gateway')],
  ['504', answer(504, '')],
  ['503 without Retry-After', answer(503, 'busy')],
])('%s: a GET is sent again, a POST is not, since it may have been executed', async (_, broken) => {
  const reading = await serving([broken, answer(200, '"fine"')]);
  await expect(reading.client.request(look)).resolves.toBe('fine');
  expect(reading.seen).toHaveLength(2);

  const writing = await serving([broken, answer(200, '"fine"')]);
  await expect(writing.client.request(step)).rejects.toThrow(HttpError);
  expect(writing.seen).toEqual(['POST /step {"action":"go"}']);
});

test('a request that cannot be sent again has a connection of its own: an idle one may close just as it is sent', async () => {
  const used = new Set<object>();
  const once: Reply = (request, response) => {
    if (used.has(request.socket)) return void request.socket.resetAndDestroy();
    used.add(request.socket);
    response.end('1');
  };
  const { client } = await serving([once]);
  for (let turn = 0; turn < 3; turn++) await expect(client.request(step)).resolves.toBe(1);
});

test.each([
  ['429', answer(429, 'slow down')],
  ['429 with Retry-After', answer(429, 'slow down', { 'retry-after': '0' })],
  ['503 with Retry-After', answer(503, 'busy', { 'retry-after': '0' })],
])('%s was not executed: a POST is sent again', async (_, busy) => {
  const { client, seen } = await serving([busy, busy, answer(200, '1')]);
  await expect(client.request(step)).resolves.toBe(1);
  expect(seen).toHaveLength(3);
});

test('a server that asks for a longer wait than allowed has failed', async () => {
  const { client, seen } = await serving([answer(429, 'tomorrow', { 'retry-after': '86400' })]);
  await expect(client.request(step)).rejects.toMatchObject({ status: 429, attempt: 1, detail: 'tomorrow' });
  expect(seen).toHaveLength(1);
});

test('errors are reported with method, address, status and attempt', async () => {
  const { client, url } = await serving([
    answer(500, 'Internal Server Error'),
    answer(200, '<html>'),
    answer(502, 'x'),
  ]);
  expect((await failure(client.request(step)))?.message).toBe(
    `POST ${url}/step answered 500 (attempt 1, status): Internal Server Error`,
  );
  expect(await failure(client.request(step))).toMatchObject({ failure: 'garbage', status: 200 });
  expect((await failure(client.request(look)))?.message).toBe(
    `GET ${url}/observation?id=0 answered 502 (attempt 4, status): x`,
  );
});

test('an answer with status 200 that reports an error is neither refused as malformed nor requested again', async () => {
  const { client, seen } = await serving([answer(200, '{"error":"The id 9 is not valid."}')]);
  const read = (body: unknown) => {
    throw new RefusedAnswer((body as { error: string }).error);
  };
  const error = await failure(client.request({ ...look, read }));
  expect(error).toMatchObject({ failure: 'refused', status: 200, detail: 'The id 9 is not valid.' });
  expect(seen).toHaveLength(1);
});

test('an answer that never comes ends by the read timeout', async () => {
  const { client } = await serving([() => {}], { answerTimeoutMs: 50 });
  await expect(client.request(step)).rejects.toMatchObject({ failure: 'interrupted', status: null });
});

test('an answer of a byte now and then ends by the same time, with what was asked and how long it took', async () => {
  const drip: Reply = (_, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  };
  const { client, url } = await serving([drip], { answerTimeoutMs: 150 });
  expect((await failure(client.request(step)))?.message).toBe(
    `POST ${url}/step (attempt 1, interrupted): no complete answer within 150 ms`,
  );
});

test('requests that wait for a connection are not late for that', async () => {
  const slow: Reply = (_, response) => void setTimeout(() => response.end('1'), 100);
  const { client } = await serving([slow], { answerTimeoutMs: 2_000, connections: 1 });
  await expect(Promise.all(Array.from({ length: 25 }, () => client.request(step)))).resolves.toHaveLength(25);
});

test('a server that comes back within the retries loses nothing', async () => {
  const { client, server, seen, url } = await serving([answer(200, '1')], { retries: 200 });
  await new Promise((resolve) => server.close(resolve));
  const pending = client.request(step);
  await new Promise((resolve) => setTimeout(resolve, 60));
  await new Promise<void>((resolve) => server.listen(Number(new URL(url).port), '127.0.0.1', resolve));
  await expect(pending).resolves.toBe(1);
  expect(seen).toHaveLength(1);
});

test('after failures in a row the circuit refuses, later one call tries, and success closes it', async () => {
  const circuit = { failures: 2, openMs: 60_000 };
  const { client, seen } = await serving([reset, reset, answer(200, '1')], { circuit });
  await failure(client.request(step));
  await failure(client.request(step));
  expect(await failure(client.request(step))).toMatchObject({ failure: 'circuit' });
  expect(seen).toHaveLength(2);
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + circuit.openMs);
  const both = await Promise.allSettled([client.request(step), client.request(step)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await expect(client.request(step)).resolves.toBe(1);
  clock.mockRestore();
});

test('no more connections are open than allowed', async () => {
  const { client, server } = await serving([(_, response) => void setTimeout(() => response.end('1'), 10)], {
    connections: 2,
  });
  let opened = 0;
  server.on('connection', () => opened++);
  await Promise.all(Array.from({ length: 12 }, () => client.request(look)));
  expect(opened).toBeLessThanOrEqual(2);
});

test('the wait doubles up to its bound, with jitter in its upper half', () => {
  const options = { retries: 9, backoffMs: 100, maxBackoffMs: 350, maxRetryAfterMs: 0 };
  const waits = [1, 2, 3, 4].map((attempt) => backoff(attempt, options, new Rng(1)) / (1 + new Rng(1).uniform()));
  expect(waits.map(Math.round)).toEqual([50, 100, 175, 175]);
});

test('Retry-After is seconds or a date', () => {
  expect(retryAfter('3')).toBe(3000);
  // The wait is computed by the server's clock, whether this machine's is right or wrong.
  expect(retryAfter('Thu, 01 Jan 2026 00:00:07 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT')).toBe(7000);
  expect(retryAfter('Thu, 01 Jan 2026 00:00:07 GMT')).toBeNull();
  expect(retryAfter('soon')).toBeNull();
});

test('an address that is none is refused with an example', () => {
  expect(() => new HttpServer('localhost:36001')).toThrow(/must begin with http:\/\/ or https:\/\//);
});

test('chat completions: key, model and settings are sent, usage is summed', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 2 };
  const said = { choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }], usage };
  const keys: unknown[] = [];
  const keyed: Reply = (request, response) => {
    keys.push(request.headers.authorization);
    answer(200, JSON.stringify(said))(request, response);
  };
  const { url, seen } = await serving([answer(429, ''), keyed, answer(200, JSON.stringify(said))]);
  const chat = new OpenAiChat({ baseUrl: `${url}/v1/`, model: 'm', apiKey: 'k', concurrency: 2, http: quick });
  try {
    const question = [{ role: 'user', content: 'Is it alive?' }] as const;
    const reply = await chat.complete(question, { temperature: 0, max_tokens: 4 });
    expect(reply).toEqual({ content: 'Yes.', finishReason: 'stop' });
    await chat.complete(question);
    expect(chat.usage).toEqual({ requests: 2, promptTokens: 10, completionTokens: 4 });
    expect(keys).toEqual(['Bearer k']);
    expect(seen[1]).toBe(
      'POST /v1/chat/completions {"model":"m","messages":[{"role":"user","content":"Is it alive?"}],"temperature":0,"max_tokens":4}',
    );
  } finally {
    await chat.close();
  }
});
