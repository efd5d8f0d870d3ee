import { ask, createServer, type AnswerHead, type PageAsk } from './http.js';

const request = (port: number, changes: Partial<PageAsk> = {}): PageAsk => ({
  port,
  method: 'POST',
  url: '/v1/x?y=1',
  headers: { host: 'page' },
  body: new TextEncoder().encode('hello'),
  ...changes,
});

type Server = ReturnType<typeof createServer>;
const listening = (server: Server, port = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('listening', () => resolve(server.address().port)).once('error', reject);
    server.listen({ host: '127.0.0.1', port });
  });

/** Collects an answer. */
const answered = (asked: PageAsk): Promise<{ head: AnswerHead; parts: string[] }> =>
  new Promise((resolve) => {
    let head: AnswerHead;
    const parts: string[] = [];
    ask(asked, (part) => {
      if (part === null) resolve({ head, parts });
      else if (part instanceof Uint8Array) parts.push(new TextDecoder().decode(part));
      else head = part;
    });
  });

test('a request is answered piece by piece, with its head first', async () => {
  const server = createServer((given, response) => {
    let text = '';
    given.on('data', (piece: Uint8Array) => (text += String(piece)));
    given.on('end', () => {
      response.writeHead(201, { 'x-url': given.url, left: undefined });
      response.write(`${given.method} `);
      response.write(text);
      response.end('!');
    });
  });
  const port = await listening(server);
  expect(await answered(request(port))).toEqual({
    head: { status: 201, headers: { 'x-url': '/v1/x?y=1' } },
    parts: ['POST ', 'hello', '!'],
  });
  const empty = await answered(request(port, { method: 'GET', body: new Uint8Array() }));
  expect(empty.parts.join('')).toBe('GET !');
});

test('a client that leaves closes the connection, and a server that closes waits for its answers', async () => {
  const left: string[] = [];
  const server = createServer((given, response) => {
    given.socket.once('close', () => left.push(given.url));
    response.write('begun');
  });
  const port = await listening(server);
  const leave = ask(request(port), () => undefined);
  const closed = new Promise((resolve) => server.once('close', resolve));
  server.close();
  expect(() => ask(request(port), () => undefined)).toThrow(`no server of this page listens on port ${port}`);
  expect(left).toEqual([]);
  leave();
  await closed;
  expect(left).toEqual(['/v1/x?y=1']);
});

test('a port has one server', async () => {
  const port = await listening(createServer(() => undefined));
  await expect(
    listening(
      createServer(() => undefined),
      port,
    ),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
