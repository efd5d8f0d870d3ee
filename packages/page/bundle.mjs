// Bundles the browser replacements of Node's modules with their npm packages, so that `dist/bundle` imports nothing.
import { readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { builtin } from '../../tools/page-modules.mjs';

const dist = join(import.meta.dirname, 'dist');
const out = join(dist, 'bundle');
const require = createRequire(import.meta.url);

rmSync(out, { recursive: true, force: true });
await build({
  absWorkingDir: import.meta.dirname, // names of chunks depend on it
  entryPoints: [
    join(dist, 'index.js'),
    join(dist, 'globals.js'),
    ...readdirSync(join(dist, 'node'))
      .filter((file) => file.endsWith('.js'))
      .map((file) => join(dist, 'node', file)),
  ],
  outbase: dist,
  outdir: out,
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  keepNames: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2023',
  inject: [join(dist, 'globals.js')],
  define: { 'process.env.NODE_DEBUG': 'undefined' },
  logLevel: 'warning',
  plugins: [
    {
      name: 'packages-of-a-page',
      setup: ({ onResolve }) =>
        onResolve({ filter: /.*/ }, ({ path }) => {
          const name = builtin(path);
          if (name === undefined) return undefined;
          if (path.startsWith('node:') || !['buffer', 'events', 'string_decoder', 'util'].includes(name))
            return { path: join(dist, 'node', `${name.replace('/', '-')}.js`) };
          return { path: require.resolve(`${name}/`) };
        }),
    },
  ],
});
