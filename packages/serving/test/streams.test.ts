// Tests many clients of streams, also ones that misbehave: they leave nothing behind, and all others are answered.
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { wordLevelTokenizer } from '@bowyer/text';
import { tinyLlama } from '@bowyer/testing';
import type { CompletionRequest } from '../src/generation/completion-request.js';
import { whenClientLeaves } from '../src/http/http-listener.js';
import { answered, type ModelCall } from '../src/protocols/answer-exchange.js';
import type { AnswerWriter } from '../src/protocols/protocol.js';
import { tinyServer } from './tiny-server.js';

const tokenizer = wordLevelTokenizer(['is it a dog or a cat ? yes . no . the big red fox runs over my old house\n']);
const faults: Error[] = [];
const server = await tinyServer({
  tokenizer,
  template: null,
  config: tinyLlama(512, { num_hidden_layers: 2 }),
  maxQueued: 60,
  onFault: (error) => faults.push(error),
});
afterEach(() => expect(faults).toEqual([]));

/** Returns the answer to a completion as soon as its head has arrived. */
async function ask(fields: object): Promise<IncomingMessage> {
  const body = JSON.stringify({ prompt: 'is it a dog', ignore_eos: true, ...fields });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const asked = httpRequest(`${server.url}/completions`, { method: 'POST', agent: false, headers });
  asked.on('error', () => undefined);
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer.on('error', () => undefined);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of answer) text += String(piece);
  return text;
}

interface Health {
  running: number;
  waiting: number;
}
const health = async () => (await (await fetch(new URL('/health', server.url))).json()) as Health;

/** Waits until the server has nothing to do. */
async function settled(): Promise<void> {
  for (let now = await health(); now.running + now.waiting > 0; now = await health()) await sleep(10);
}

test('a thousand connections at once: as many as there is room for are answered, the others are refused with the advice to retry', async () => {
  const answers = await Promise.all(
    Array.from({ length: 1000 }, async () => {
      const answer = await ask({ max_tokens: 2, stream: true });
      const text = await textOf(answer);
      return { status: answer.statusCode, retryAfter: answer.headers['retry-after'], text };
    }),
  );
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(64);
  for (const { text } of served) expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  for (const { status, retryAfter, text } of answers) {
    if (status === 200) continue;
    expect([status, retryAfter]).toEqual([429, '1']);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  }
  await settled();
}, 180_000);

test('streams that are reset in their middle, or before they begin, leave nothing, and who comes then is answered', async () => {
  const left = Array.from({ length: 50 }, async (_, i) => {
    const answer = await ask({ max_tokens: 480, stream: true });
    if (answer.statusCode === 200 && i % 3 > 0) await once(answer, 'data');
    if (i % 2 === 0) answer.socket.resetAndDestroy();
    else answer.destroy();
  });
  await Promise.all(left);
  await settled();
  const answer = await ask({ max_tokens: 3, stream: true });
  expect((await textOf(answer)).match(/^data: /gm)).toHaveLength(5); // three tokens, the end, [DONE]
});

test.each([
  ['a lone surrogate', '{"prompt":"\\ud800 dog","max_tokens":1,"stream":true}', 200],
  ['half a character', Buffer.concat([Buffer.from('{"prompt":"'), Buffer.of(0xe2, 0x9c), Buffer.from('"}')]), 400],
  ['a stream that is no boolean', '{"prompt":"dog","stream":"yes"}', 400],
  ['half a body', '{"prompt":"dog","stream":true', 400],
  ['a key twice', '{"prompt":"dog","max_tokens":1,"max_tokens":1}', 200],
  ['a prototype', '{"prompt":"dog","__proto__":{"stream":true}}', 400],
])('%s gets an answer, and nobody else notices', async (_, body, status) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/completions`, { method: 'POST', headers, body });
  const text = await answer.text();
  expect([answer.status, text.length > 0]).toEqual([status, true]);
  await settled();
});

test('a body of 100 MB is refused as soon as it is too long, and is not kept', async () => {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  let said = '';
  socket.on('data', (piece) => (said += piece.toString('latin1')));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(
    `POST /v1/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${100e6}\r\n\r\n`,
  );
  const piece = Buffer.alloc(2 ** 20, 'a');
  for (let sent = 0; sent < 100e6 && !socket.destroyed; sent += piece.length)
    if (!socket.write(piece)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  socket.end();
  await closed;
  expect(said).toMatch(/^HTTP\/1.1 413 /);
});

test('a client that does not read its stream is disconnected after a mebibyte, and the answer ends', async () => {
  const PIECE = 'a'.repeat(2 ** 16);
  let pieces = 0;
  let ended: boolean | null = null;
  const writer = { begin: () => '', piece: () => PIECE, end: () => '', fail: () => '' } as Partial<AnswerWriter>;
  const asked = createServer((request, response) => {
    const gone = new AbortController();
    whenClientLeaves(request, () => gone.abort());
    const run = async (_: CompletionRequest, signal: AbortSignal, onPiece: (piece: never) => void) => {
      for (; pieces < 4000 && !signal.aborted; pieces++) {
        await nextTurn();
        onPiece(undefined as never);
      }
      ended = signal.aborted;
      return { choices: [], usage: { promptTokens: 0, completionTokens: 0, cachedPromptTokens: 0 }, aborted: true };
    };
    const exchange = { request, response, signal: gone.signal, connection: {} };
    const call: Partial<ModelCall> = { generator: { run } as never, observed: null, exchange: exchange as never };
    void answered(call as ModelCall, { stream: true } as CompletionRequest, writer as AnswerWriter);
  }).listen(0, '127.0.0.1');
  await once(asked, 'listening');
  const client = connect((asked.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  client.pause();
  while (ended === null) await sleep(5);
  expect(ended).toBe(true);
  expect(pieces).toBeLessThan(1000); // 64 MiB, more than the kernel's buffers and a mebibyte, but less than the 250 MiB of the whole answer
  client.destroy();
  asked.close();
});
