// Builds the site into `site/dist`: any file server shows it. `--serve [PORT]` serves it with the headers that threads need.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { serveFolder } from '@bowyer/testing';

const folder = import.meta.dirname;
const dist = join(folder, 'dist');
const web = join(folder, '../packages/web/dist');

rmSync(dist, { recursive: true, force: true });
await build({
  entryPoints: ['app.ts', 'model.ts'].map((name) => join(folder, name)),
  outdir: dist,
  bundle: true,
  splitting: true,
  chunkNames: 'site-[hash]',
  minify: true,
  format: 'esm',
  target: 'es2023',
  alias: { '@bowyer/web': join(web, 'index.js') },
  logLevel: 'error',
});
for (const name of ['index.html', 'model.html', 'style.css']) cpSync(join(folder, name), join(dist, name));
cpSync(join(web, 'page'), join(dist, 'page'), { recursive: true });

const serve = process.argv.indexOf('--serve');
if (serve >= 0) {
  const { address } = await serveFolder(dist, { port: Number(process.argv[serve + 1] ?? 8080) });
  console.log(address);
}
