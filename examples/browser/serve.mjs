// A static server for this folder, for this machine alone: browsers load no WebAssembly module from file://.
//   node serve.mjs [PORT]
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, resolve, sep } from 'node:path';

const root = import.meta.dirname;
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
};

/** @param {number} port 0: any that is free @returns the server, once it listens */
export function serve(port) {
  const server = createServer(async ({ url }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const file = resolve(join(root, pathname === '/' ? 'index.html' : decodeURIComponent(pathname)));
    const found = file.startsWith(root + sep) && (await stat(file).catch(() => null));
    if (!found || !found.isFile()) return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': types[extname(file)] ?? 'application/octet-stream',
      'content-length': found.size,
    });
    createReadStream(file).pipe(response);
  });
  return new Promise((listening) => server.listen(port, '127.0.0.1', () => listening(server)));
}

if (process.argv[1] === import.meta.filename) {
  const server = await serve(Number(process.argv[2] ?? 8080));
  console.log(`http://127.0.0.1:${server.address().port}/`);
}
