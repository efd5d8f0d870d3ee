// Tests that a listener protects its other clients from a client, or from a page in a browser, that misbehaves.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { HttpListener, pathOf, whenClientLeaves, type HttpListenerOptions } from './http-listener.js';
import { readBody, type BodyError } from './request-body.js';

const listeners: HttpListener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.isListening && listener.close())));

/** Answers a request with its path and its body, or with the reason why the body cannot be read. */
const echo: HttpListenerOptions['respond'] = async (asked, response) => {
  const body = await readBody(asked, 100, (text) => text).catch((error: BodyError) => error.reason);
  response.end(`${pathOf(asked).path} ${body}`);
};

async function listening(respond = echo): Promise<HttpListener> {
  const refuse: HttpListenerOptions['refuse'] = ({ status, message }) => ({ status, json: { message } });
  const listener = await HttpListener.listen({ host: '127.0.0.1', port: 0, respond, refuse });
  listeners.push(listener);
  return listener;
}

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

async function send(listener: HttpListener, { method = 'POST', path = '/', headers = {}, body }: Sent) {
  const asked = request(`${listener.origin}`, { method, path, headers });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer) text += String(piece);
  return `${answer.statusCode} ${text}`;
}

const json = { 'content-type': 'application/json' };
const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

test.each<[string, Sent, RegExp]>([
  ['JSON', { headers: json, body: '{}' }, /^200 \/ \{\}$/],
  ['JSON with a character set', { headers: { 'content-type': 'Application/JSON; charset=utf-8' }, body: '{}' }, /^200/],
  ['no body', {}, /^200/],
  ['a page of the same origin', { headers: { origin: 'SELF' } }, /^200/],
  [
    'a page of another site',
    { headers: { origin: 'http://evil.example' } },
    /^403 .*Origin is 'http:\/\/evil.example'/,
  ],
  ['a sandboxed page', { method: 'GET', headers: { origin: 'null' } }, /^403/],
  ['a name that was rebound to this machine', { method: 'GET', headers: { host: 'evil.example' } }, /^421 .*Host is/],
  ['localhost', { method: 'GET', headers: { host: 'localhost:80' } }, /^200/],
  ['a form', { headers: { 'content-type': 'text/plain' }, body: '{}' }, /^415 .*must be application\/json/],
  ['curl -d', { headers: urlencoded, body: '{}' }, /^200 \/ \{\}$/],
  ['a program’s body without a type', { headers: { 'transfer-encoding': 'chunked' }, body: '{}' }, /^200 \/ \{\}$/],
  [
    'a form of a page of another site',
    { headers: { ...urlencoded, origin: 'http://evil.example' }, body: '{}' },
    /^403/,
  ],
  [
    'a form of a page without an origin',
    { headers: { ...urlencoded, 'sec-fetch-site': 'cross-site' }, body: '{}' },
    /^415/,
  ],
  ['a form of an old browser', { headers: { ...urlencoded, referer: 'http://evil.example/' }, body: '{}' }, /^415/],
  ['a form with a cookie', { headers: { ...urlencoded, cookie: 'a=b' }, body: '{}' }, /^415/],
  ['a form of the same origin', { headers: { ...urlencoded, origin: 'SELF' }, body: '{}' }, /^415/],
  ['a form with a file', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '{}' }, /^415/],
  ['two slashes', { method: 'GET', path: '//' }, /^200 \/\/ $/],
  ['a body that is not UTF-8', { headers: json, body: Buffer.from('{"a":"\xe9"}', 'latin1') }, /^200 \/ not UTF-8$/],
  ['a long body', { headers: json, body: 'x'.repeat(101) }, /^200 \/ too large$/],
])('%s', async (_, { headers = {}, ...sent }, expected) => {
  const listener = await listening();
  const own = headers.origin === 'SELF' ? { ...headers, origin: listener.origin } : headers;
  expect(await send(listener, { ...sent, headers: own })).toMatch(expected);
});

/** Opens a connection and sends `text` on it. */
async function connected(listener: HttpListener, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(listener.origin).port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

test('it stops although requests are half sent, and after the answer to one that has arrived', async () => {
  let answer = () => {};
  let arrived = () => {};
  const asked = new Promise<void>((resolve) => (arrived = resolve));
  const listener = await listening(async (_, response) => {
    arrived();
    await new Promise<void>((resolve) => (answer = resolve));
    response.end('answered');
  });
  const halves = [
    await connected(listener, 'POST /step HTTP/1.1\r\nHost: local'),
    await connected(
      listener,
      'POST /step HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ),
  ];
  const whole = await connected(listener, 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  let text = '';
  whole.on('data', (piece: Buffer) => (text += piece.toString()));
  await asked;
  const left = [...halves, whole].map((socket) => once(socket, 'close'));
  const closed = listener.close();
  await Promise.all(left.slice(0, 2));
  answer();
  await closed;
  await Promise.all(left);
  expect(text).toMatch(/answered/);
});

test('a client that leaves is noticed by each of its pipelined requests', async () => {
  const left: string[] = [];
  const listener = await listening(async (asked) => {
    whenClientLeaves(asked, () => left.push(asked.url!));
  });
  const paths = Array.from({ length: 30 }, (_, i) => `/${i}`);
  const socket = await connected(
    listener,
    paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`).join(''),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(left).toEqual([]);
  socket.destroy();
  while (left.length < paths.length) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(left.sort()).toEqual(paths.sort());
});

test('a port in use is named, with what to write', async () => {
  const { origin } = await listening();
  const port = Number(new URL(origin).port);
  const none = () => Promise.resolve();
  const second = HttpListener.listen({
    host: '127.0.0.1',
    port,
    respond: none,
    refuse: () => ({ status: 400, json: {} }),
  });
  await expect(second).rejects.toThrow(
    `port ${port} of 127.0.0.1 is in use by another process\n  choose another one: task.port=`,
  );
});
