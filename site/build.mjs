// Builds the site into `site/dist`: any file server shows it. `--serve [PORT]` serves it with the headers that threads need.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');
const web = join(folder, '../packages/web/dist');

rmSync(dist, { recursive: true, force: true });
await build({
  entryPoints: [join(folder, 'app.ts')],
  outdir: dist,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2023',
  alias: { '@bowyer/web': join(web, 'index.js') },
  logLevel: 'error',
});
for (const name of ['index.html', 'style.css']) cpSync(join(folder, name), join(dist, name));
cpSync(join(web, 'page'), join(dist, 'page'), { recursive: true });

const serve = process.argv.indexOf('--serve');
if (serve >= 0) {
  const types = {
    '.css': 'text/css',
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.json': 'application/json',
    '.mjs': 'text/javascript',
    '.wasm': 'application/wasm',
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const path = pathname === '/' ? '/index.html' : pathname;
    try {
      const data = readFileSync(join(dist, path));
      response.writeHead(200, {
        'content-type': types[extname(path)] ?? 'application/octet-stream',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      });
      response.end(data);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(Number(process.argv[serve + 1] ?? 8080), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}/`);
  });
}
