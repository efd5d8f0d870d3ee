// Tests that clients which leave, stall, or read nothing do not disturb the other clients of a server.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesInFlight, ByteBudget } from '../src/http/byte-budget.js';
import { HttpListener, type HttpListenerOptions, type ListenerLimits } from '../src/http/http-listener.js';
import { parseJson } from '../src/http/json-text.js';
import { readBody, type BodyError } from '../src/http/request-body.js';
import { serveMcpEnv } from '../src/mcp-env/serve-mcp-env.js';
import { OpenEnvServer, type OpenEnvServerOptions } from '../src/open-env/open-env-server.js';

const open: { close(): Promise<void> }[] = [];
const clients = new Set<Socket>();
afterEach(async () => {
  for (const socket of clients) socket.destroy();
  clients.clear();
  answers.length = 0;
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const MIB = 2 ** 20;

class Echo {
  steps = 0;
  reset = () => Promise.resolve({ observation: 'start', info: {} });
  step(action: string) {
    this.steps++;
    if (action === 'kaboom') return Promise.reject(new Error('kaboom\n    at Echo.step (/somewhere/echo.js:3:1)\n'));
    return Promise.resolve({ observation: action, reward: 0, terminated: false, truncated: false, info: {} });
  }
  close = () => Promise.resolve();
}

async function openEnv(more: Partial<OpenEnvServerOptions> = {}): Promise<OpenEnvServer> {
  const server = await OpenEnvServer.listen({
    name: 'echo',
    description: 'Says it again.',
    host: '127.0.0.1',
    port: 0,
    maxInstances: 1,
    idleMs: 60_000,
    makeEnv: () => new Echo(),
    resetOptions: () => ({}),
    ...more,
  });
  open.push(server);
  return server;
}

/** The server-side answers of `listening`. */
const answers: ServerResponse[] = [];

async function listens(options: Omit<HttpListenerOptions, 'host' | 'port' | 'refuse'>): Promise<HttpListener> {
  const refuse: HttpListenerOptions['refuse'] = ({ status, message }) => ({ status, json: { message } });
  const listener = await HttpListener.listen({ host: '127.0.0.1', port: 0, refuse, ...options });
  open.push(listener);
  return listener;
}

/** Answers with the length of the body; `answer` decides what follows. */
async function listening(limits: Partial<ListenerLimits>, answer = ''): Promise<HttpListener> {
  const listener = await listens({
    limits,
    async respond(request, response) {
      answers.push(response);
      const given = readBody(request, 8 * MIB, (text) => ({ status: 200, text: `${text.length}${answer}` }));
      const { status, text } = await given.catch((error: BodyError) => ({ status: error.status, text: error.reason }));
      listener.send(request, response, { status, text });
    },
  });
  return listener;
}

interface Client {
  socket: Socket;
  said: () => string;
  /** A promise of all received text, resolved when the connection is closed. */
  closed: Promise<string>;
}

async function client(origin: string, bytes: string | Buffer = ''): Promise<Client> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => undefined);
  clients.add(socket);
  let text = '';
  socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, said: () => text, closed };
}

const post = (length: number, body = '') =>
  `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
const upgrade = (path: string, more = '') =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${more}\r\n`;

/** Returns a frame masked with zeros. */
function frame(payload: string | Buffer, first = 0x81): Buffer {
  const bytes = Buffer.from(payload as string);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes.length));
  const head = bytes.length < 126 ? [first, 0x80 | bytes.length] : [first, 0x80 | 127, ...length];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), bytes]);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(5);
}

/** Waits until a value has not changed for a while. */
async function settled(value: () => unknown): Promise<void> {
  for (let before: unknown; before !== value(); await sleep(1000)) before = value();
}

/** Opens a WebSocket, and returns the code with which the server closes it. */
async function webSocket(origin: string, path: string, more = '') {
  const talk = await client(origin, upgrade(path, more));
  await until(() => talk.said().includes('\r\n\r\n'));
  return talk;
}
const closeCode = (said: string): number | null => {
  const at = said.lastIndexOf('\x88');
  return at < 0 ? null : Buffer.from(said, 'latin1').readUInt16BE(at + 2);
};

const isHealthy = async (origin: string) => (await fetch(`${origin}/health`)).status === 200;

const PROTOCOL_ERROR = 1002;
const NO_UTF8 = 1007;
const TOO_LONG = 1009;

test.each<[string, Buffer, number]>([
  ['reserved bits', frame('x', 0xf1), PROTOCOL_ERROR],
  ['an unknown opcode', frame('x', 0x83), PROTOCOL_ERROR],
  ['no mask', Buffer.from([0x81, 1, 120]), PROTOCOL_ERROR],
  ['a fragmented ping', frame('x', 0x09), PROTOCOL_ERROR],
  ['a continuation of nothing', frame('x', 0x80), PROTOCOL_ERROR],
  ['a close frame of one byte', frame('x', 0x88), PROTOCOL_ERROR],
  ['no UTF-8', frame(Buffer.from([0xff, 0xfe])), NO_UTF8],
  ['5 MB', frame('x'.repeat(5 * MIB)), TOO_LONG],
])('a frame with %s ends its own connection only', async (_, bytes, code) => {
  const { url } = await openEnv();
  for (const path of ['/mcp', '/ws']) {
    const { socket, said } = await webSocket(url, path);
    socket.write(bytes);
    await until(() => closeCode(said()) !== null);
    expect(closeCode(said())).toBe(code);
    socket.resetAndDestroy();
    await sleep(20);
  }
  expect(await isHealthy(url)).toBe(true);
});

test('a client too many, and refused upgrades, may be reset at any time', async () => {
  const { url } = await openEnv();
  await webSocket(url, '/ws');
  const more = ['', 'origin: http://evil.example\r\n'];
  for (const [path, headers] of [
    ['/ws', more[0]],
    ['/nowhere', more[0]],
    ['/ws', more[1]],
    ['/mcp', more[0]],
  ])
    for (const waitMs of [0, 1, 5, 20]) {
      const { socket } = await client(url, upgrade(path, headers));
      for (let i = 0; i < 20; i++) socket.write(frame('{"type":"state"}'));
      await sleep(waitMs);
      socket.resetAndDestroy();
    }
  await sleep(100);
  expect(await isHealthy(url)).toBe(true);
});

test('a refused upgrade is closed although the client keeps its side open', async () => {
  const { url } = await openEnv();
  const { closed } = await client(url, upgrade('/nowhere'));
  expect(await closed).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
});

test('an environment that cannot be made ends the session with a message', async () => {
  const { url } = await openEnv({
    makeEnv: () => {
      throw new Error('no world');
    },
  });
  const { said, socket } = await webSocket(url, '/ws');
  await until(() => closeCode(said()) !== null);
  expect(said()).toContain('"message":"The environment cannot be made: no world","code":"FACTORY_ERROR"');
  socket.end();
  expect(await isHealthy(url)).toBe(true);
});

test('errors neither repeat a long input nor show where they happened', async () => {
  const { url } = await openEnv();
  const long = 'x'.repeat(100_000);
  const { socket, said } = await webSocket(url, '/ws');
  const frames = [
    { type: long },
    { type: 'state', [long]: 1 },
    { type: 'reset', data: { seed: long } },
    { type: 'step', data: { message: 'kaboom' } },
  ];
  for (const each of [...frames, Object.fromEntries(Array.from({ length: 300_000 }, (_, i) => [`k${i}`, 1]))])
    socket.write(frame(JSON.stringify(each)));
  socket.write(frame('['.repeat(250_000)));
  await until(() => said().includes('within each other'));
  expect(said().length).toBeLessThan(5000);
  expect(said()).toContain('Unknown message type: xxx');
  expect(said()).toContain('"code":"EXECUTION_ERROR"');
  expect(said()).toContain('has more than 25000 objects, arrays and fields');
  expect(said()).not.toMatch(/echo\.js|at Echo/);
});

test('a client that reads no answers gets no further ones, nor pongs', async () => {
  const env = new Echo();
  const { url } = await openEnv({ makeEnv: () => env });
  const text = JSON.stringify({ type: 'step', data: { message: 'x'.repeat(MIB) } });
  const { socket } = await webSocket(url, '/ws');
  socket.pause();
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 60; i++) socket.write(frame(text));
  await settled(() => env.steps);
  expect(env.steps).toBeLessThan(40); // the buffers of the system take some
  expect(bytesInFlight.held).toBeLessThan(5 * MIB);
  const pinging = await webSocket(url, '/mcp');
  pinging.socket.pause();
  for (let i = 0; i < 50_000; i++) pinging.socket.write(frame(Buffer.alloc(125), 0x89));
  await settled(() => pinging.socket.bytesWritten - pinging.socket.writableLength);
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MIB); // the memory of both sides
  for (const { socket: one } of [pinging, { socket }]) one.destroy();
  await until(() => bytesInFlight.held === 0);
});

test('bodies that have arrived count until they are answered, apart from those that arrive', () => {
  const budget = new ByteBudget(10, 20);
  const given: string[] = [];
  const share = (name: string) => budget.open(() => given.push(name));
  const [first, second, third] = [share('first'), share('second'), share('third')];
  for (const each of [first, second]) {
    each.hold(9);
    expect(each.keep()).toBe(true);
  }
  third.hold(9);
  expect([budget.held, budget.kept, third.keep()]).toEqual([9, 18, false]); // bodies in progress are not removed
  first.release();
  expect(third.keep()).toBe(true);
  second.release();
  third.release();
  expect([budget.held, budget.kept, given]).toEqual([0, 0, []]);
});

test('bodies that stop half-way give way to those that come', async () => {
  const listener = await listening({ stallMs: 180_000, requestMs: 180_000 }); // no client is disconnected for being slow
  const talks = await Promise.all(Array.from({ length: 12 }, () => client(listener.origin)));
  const [last, ...others] = talks;
  const unfinished = post(8 * MIB, 'x'.repeat(8 * MIB - 1));
  const haveArrived = (count: number) => () =>
    answers.length === count &&
    answers.every(({ req: { socket } }) => socket.destroyed || socket.bytesRead >= unfinished.length);
  for (const { socket } of others) socket.write(unfinished);
  await until(haveArrived(others.length));
  const refused = () => others.map(({ said }) => said()).filter((said) => said !== '');
  await until(() => refused().length >= others.length - 8); // 8 bodies fit
  last.socket.write(unfinished);
  await until(haveArrived(talks.length));
  await until(() => refused().length >= others.length - 7);
  expect(bytesInFlight.held).toBeLessThanOrEqual(64 * MIB);
  for (const said of refused()) expect(said).toMatch(/^HTTP\/1\.1 503 .*\r\n\r\nno room$/s);
  last.socket.write('x');
  await until(() => last.said().endsWith(String(8 * MIB)));
  for (const { socket } of talks) socket.destroy();
  await until(() => bytesInFlight.held === 0);
});

test('stalled connections are closed: within the head, within the body, before the answer is read', async () => {
  const listener = await listening({ stallMs: 1000, requestMs: 5000 }, 'x'.repeat(20 * MIB));
  const { origin } = listener;
  const leftOrTold = /^(HTTP\/1\.1 408 |$)/; // the idle time and the time for a head are equal here, so that either may come first
  const begun = ['', 'POST / HTTP/1.1\r\nhost: local', post(9, 'x')];
  const [silent, head, body] = await Promise.all(begun.map(async (text) => (await client(origin, text)).closed));
  for (const said of [silent, head]) expect(said).toMatch(leftOrTold);
  expect(body).toMatch(/^HTTP\/1\.1 408 .*\r\n\r\ntimed out$/s);
  const before = answers.length;
  const unread = await client(origin);
  unread.socket.pause();
  unread.socket.write(post(1, 'x'));
  await until(() => answers.length > before && answers.at(-1)!.destroyed);
  unread.socket.resume();
  expect((await unread.closed).length).toBeLessThan(20 * MIB);
});

test('a byte from time to time does not keep a request open', async () => {
  const listener = await listening({ stallMs: 1000, requestMs: 1500 });
  const { socket, closed } = await client(listener.origin, post(1000, 'x'));
  const drip = setInterval(() => socket.write('x'), 100);
  expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
  clearInterval(drip);
});

test('answers that nobody reads are bounded over all connections', async () => {
  const unread = 30 * MIB;
  const listener = await listening({ unread }, 'x'.repeat(20 * MIB));
  const talks = await Promise.all(Array.from({ length: 5 }, () => client(listener.origin)));
  for (const { socket } of talks) {
    socket.pause();
    socket.write(post(1, 'x'));
  }
  await until(() => answers.length === talks.length && answers.every((answer) => answer.writableEnded));
  const waiting = () => answers.reduce((sum, { socket }) => sum + (socket?.writableLength ?? 0), 0);
  await until(() => waiting() <= unread);
  for (const { socket } of talks) socket.resume();
  const isWhole = ({ said }: Client) => said().length > 20 * MIB;
  await until(() => talks.every((talk) => isWhole(talk) || talk.socket.destroyed));
  const whole = talks.filter(isWhole).length;
  expect(whole).toBeGreaterThan(0);
  expect(whole).toBeLessThan(4);
});

test('an answer that takes longer than a client may is waited for', async () => {
  const listener = await listens({
    limits: { stallMs: 1000 },
    async respond(_, response) {
      await sleep(2500);
      response.end('at last');
    },
  });
  expect(await (await fetch(listener.origin)).text()).toBe('at last');
});

test('a fault of a server is answered, and ends nothing', async () => {
  const faults: Error[] = [];
  const respond = () => Promise.reject(new TypeError('undefined is not a function'));
  const listener = await listens({ respond, onFault: (error) => faults.push(error) });
  const answer = await fetch(listener.origin);
  expect([answer.status, await answer.text()]).toEqual([
    500,
    '{"message":"the server had an error while it answered"}',
  ]);
  expect(faults.map(({ message }) => message)).toEqual(['undefined is not a function']);
});

test('JSON is bounded in depth, fields and values, wherever its parts are cut for others', async () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(await parseJson(nested(128))).toHaveLength(1);
  await expect(parseJson(nested(129))).rejects.toThrow('more than 128 arrays and objects within each other');
  await expect(parseJson(`[${'[],'.repeat(25_000)}1]`)).rejects.toThrow('more than 25000 objects, arrays and fields');
  await expect(parseJson(`[${'1,'.repeat(250_001)}1]`)).rejects.toThrow('more than 250000 values');
  const text = '\\"[{,'.repeat(300_000); // brackets within a string do not nest
  expect(await parseJson(JSON.stringify(text))).toBe(text);
});

test('sessions of MCP: other texts than requests are refused, half-sent ones hold nothing, a thousand sessions stay small', async () => {
  const idle = { idleMs: 60_000, apiKey: null, host: '127.0.0.1', port: 0 };
  const server = await serveMcpEnv({ name: 'maze', options: {}, maxInstances: 1000, ...idle });
  open.push(server);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sent = (body: string, more: Record<string, string> = {}) =>
    fetch(server.url, { method: 'POST', headers: { ...headers, ...more }, body });
  const clientInfo = { name: 'stranger', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const initialize = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const refusals: [body: string, status: number, more?: Record<string, string>][] = [
    ['{', 400],
    ['', 400],
    ['[]', 400],
    ['null', 400],
    ['{"method":"initialize"}', 400],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 400],
    ['['.repeat(5000), 400],
    [`"${'x'.repeat(2 * MIB)}"`, 413],
    [initialize, 404, { 'mcp-session-id': 'x' }],
    [initialize, 403, { origin: 'http://evil.example' }],
    [initialize, 406, { accept: 'text/html' }],
  ];
  for (const [body, status, more] of refusals) {
    const answer = await sent(body, more);
    expect([body.slice(0, 50), answer.status]).toEqual([body.slice(0, 50), status]);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) as number } });
  }
  expect(server.players).toBe(0);
  const half = await client(new URL(server.url).origin, post(1000, '{').replace('POST /', 'POST /mcp'));
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 1000; i += 50)
    await Promise.all(Array.from({ length: 50 }, async () => (await sent(initialize)).text()));
  expect(server.players).toBe(1000);
  expect((await sent(initialize)).status).toBe(503);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * MIB);
  half.socket.destroy();
  await until(() => bytesInFlight.held === 0);
});
