// Tests that an answer of one byte at a time, which never ends, is given up after its time limit.
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { newFolder, listenHere } from '@bowyer/testing';
import { WandbClient } from './client.js';
import type { WandbError } from './wandb-error.js';

let server: Server;
let url: string;
beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume();
    if (request.method === 'PUT') return void request.on('end', () => response.end());
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  });
  url = await listenHere(server);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const open = (onRetry: (error: WandbError) => void = () => {}, signal = new AbortController().signal) =>
  new WandbClient({
    baseUrl: url,
    key: 'k'.repeat(40),
    env: {},
    random: () => 0,
    signal,
    onRetry,
    waitMinMs: 1,
    waitMaxMs: 1,
    streamTimeoutMs: 100,
    graphqlTimeoutMs: 100,
  });

test.each(['graphql', 'stream'] as const)(
  '%s: it is tried again, and says what was asked and how long it took',
  async (call) => {
    const ending = new AbortController();
    const errors: string[] = [];
    const client = open(({ message }) => {
      errors.push(message);
      if (errors.length === 2) ending.abort();
    }, ending.signal);
    const asked =
      call === 'graphql' ? client.graphql('query Viewer { viewer { id } }', {}) : client.stream('a/b/c', {});
    await expect(asked).rejects.toThrow();
    await client.close();
    const [what, path] =
      call === 'graphql' ? ['Viewer', 'graphql'] : ['the stream of the run', 'files/a/b/c/file_stream'];
    const message = `${what} (POST ${url}/${path}): no complete answer within 100 ms`;
    expect(errors).toEqual([message, message]);
  },
);

test('a file is uploaded whole', async () => {
  const folder = newFolder();
  const path = join(folder, 'file');
  await writeFile(path, Buffer.alloc(3_000_000, 'x'));
  let taken = 0;
  server.on('request', (request) => request.on('data', (piece: Buffer) => (taken += piece.length)));
  const client = open();
  await client.put(`${url}/bucket?signature=secret`, path, {});
  await client.close();
  expect(taken).toBe(3_000_000);
});
