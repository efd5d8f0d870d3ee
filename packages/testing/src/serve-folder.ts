// Serves a folder on this machine, with the headers that threads of WebAssembly need.
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { listenHere } from './listen-here.js';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

export interface ServeOptions {
  /** The port; 0, the default: any free one. */
  port?: number;
  /** Whether pages are cross-origin isolated, which threads require. Default: true. */
  isolated?: boolean;
  /**
   * Whether browsers may keep files for an hour. Chromium then keeps its compiled scripts too, and a page of the program costs less
   * CPU time from the second on. Default: false.
   */
  cached?: boolean;
  /** The contents of paths that have no file. */
  pages?: Readonly<Record<string, string>>;
  /** Replacements for the beginnings of paths, such as `{ '/bowyer/': '/page/' }`. */
  aliases?: Readonly<Record<string, string>>;
}

/** Serves a folder on loopback. A path that ends with a slash is its index.html. Resolves when the server listens. */
export async function serveFolder(
  folder: string,
  { port = 0, isolated = true, cached = false, pages = {}, aliases = {} }: ServeOptions = {},
): Promise<{ server: Server; address: string }> {
  const isolation: Record<string, string> = isolated
    ? { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
    : {};
  const keeping: Record<string, string> = cached ? { 'cache-control': 'max-age=3600' } : {};
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    let path = normalize(decodeURIComponent(pathname)).replace(/\/$/, '/index.html');
    for (const [alias, real] of Object.entries(aliases)) if (path.startsWith(alias)) path = path.replace(alias, real);
    const page = pages[pathname];
    const headers = { 'content-type': types[extname(path)] ?? 'application/octet-stream', ...isolation, ...keeping };
    (page === undefined ? readFile(join(folder, path)) : Promise.resolve(page)).then(
      (data) => response.writeHead(200, headers).end(data),
      () => response.writeHead(404).end(),
    );
  });
  return { server, address: `${await listenHere(server, port)}/` };
}
