// Prints the size of each browser entry when a page loads all of its exports: with the entries and npm packages that it imports,
// minified.
//   node packages/web/sizes.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const packages = join(import.meta.dirname, '..');
const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
console.log('| entry | minified | with gzip |\n|---|---:|---:|');
for (const name of readdirSync(packages)) {
  const { exports } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
  if (exports?.['.']?.browser === undefined && name !== 'page') continue;
  const { outputFiles } = await build({
    stdin: { contents: `export * from '@bowyer/${name}'`, resolveDir: packages },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    external: ['onnxruntime-web'],
  });
  const [{ contents }] = outputFiles;
  console.log(`| \`@bowyer/${name}\` | ${kib(contents.length)} | ${kib(gzipSync(contents).length)} |`);
}
