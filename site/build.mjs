// Builds the pages of the site into `site/dist`, or the folder after `--out`: any file server shows it. `--serve [PORT]` serves it with the
// headers that threads need.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { serveFolder } from '@bowyer/testing';
import { writeServiceWorker } from './kept-files.mjs';

const folder = import.meta.dirname;
const out = process.argv.indexOf('--out');
const dist = out < 0 ? join(folder, 'dist') : process.argv[out + 1];
const web = join(folder, '../packages/web/dist');

rmSync(dist, { recursive: true, force: true });
await build({
  entryPoints: ['app.ts', 'model.ts', 'play.ts'].map((name) => join(folder, name)),
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
for (const name of ['index.html', 'model.html', 'play.html', 'style.css']) cpSync(join(folder, name), join(dist, name));
cpSync(join(web, 'page'), join(dist, 'page'), { recursive: true });

writeServiceWorker(dist);

const serve = process.argv.indexOf('--serve');
if (serve >= 0) {
  const { address } = await serveFolder(dist, { port: Number(process.argv[serve + 1] ?? 8080) });
  console.log(address);
}
