// Tests that the connection to a server which sends a byte now and then is closed, and the download continues with another request.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fetchFile } from './fetch-file.js';
import { newFolder } from '@bowyer/testing';

const content = Buffer.alloc(300_000, 'weights ');
const file = {
  path: 'model.safetensors',
  size: content.length,
  digest: 'sha256' as const,
  etag: createHash('sha256').update(content).digest('hex'),
};

/** Sends single bytes in the given number of answers, then sends the rest. */
async function download(drips: number): Promise<{ answers: number; got: Buffer }> {
  let answers = 0;
  const server = createServer(({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200);
    if (++answers > drips) return void response.end(content.subarray(from));
    let next = from;
    const timer = setInterval(() => response.write(content.subarray(next, ++next)), 10);
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = newFolder();
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.safetensors?token=secret`;
    await fetchFile(file, join(folder, 'blob'), {
      url,
      headers: {},
      progress: () => {},
      pauseSeconds: 0,
      stillMs: 150,
    });
    return { answers, got: await readFile(join(folder, 'blob')) };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a connection without progress is closed, and its bytes are kept', async () => {
  const { answers, got } = await download(2);
  expect(answers).toBe(3);
  expect(got.equals(content)).toBe(true);
});

test('a download that never makes progress fails with its address and time, without the query', async () => {
  await expect(download(99)).rejects.toThrow(
    /^GET http:\/\/127\.0\.0\.1:\d+\/model\.safetensors: fewer than 65536 bytes arrived within 150 ms$/,
  );
});
