// Bundles the compiled modules of a package into `dist/bundle`: its front door in a few files, which other packages import.
// Loading the 2,000 modules of all packages takes 2 s of CPU time, loading their bundles 0.8. Packages are bundled separately:
// each imports the front doors of the others, so that a plugin gets the same classes and registries as the program.
//   node tools/bundle-packages.mjs [FOLDER]      (all packages, or the one in FOLDER)
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { bundleForBrowsers } from './browser-entry.mjs';

const packages = resolve(import.meta.dirname, '../packages');
const folders = process.argv[2]
  ? [resolve(process.argv[2])]
  : readdirSync(packages)
      .map((name) => join(packages, name))
      .filter((folder) => !existsSync(join(folder, 'bundle.mjs'))); // these are bundled separately, for pages
/**
 * Dependencies with many modules that are bundled: a package needs few of them, or all at each start. Their classes are not
 * exchanged between packages.
 */
const BUNDLED = ['@bufbuild/protobuf', '@sinclair/typebox', 'csv-parse', 'oniguruma-parser', 'smol-toml', 'yaml'];
/** Modules that a worker imports, in the form in which the starting module names them. */
const WORKER_MODULE = /new URL\('\.\/([a-z0-9-]+)\.js', (?:import\.meta\.url|own)\)/g;

async function bundle(folder) {
  const dist = join(folder, 'dist');
  const out = join(dist, 'bundle');
  removeStale(folder, dist);
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const programs = ['main.js', 'command.js', 'vitest.js']
    .map((name) => join(dist, name))
    .filter((path) => existsSync(path));
  const started = modulesOf(dist).flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(WORKER_MODULE)].map(([, name]) => join(dirname(path), `${name}.js`)),
  );
  rmSync(out, { recursive: true, force: true });
  await build({
    absWorkingDir: folder, // names of chunks depend on it
    entryPoints: [...new Set([join(dist, 'index.js'), ...programs, ...started])],
    outdir: out,
    entryNames: '[name]',
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    platform: 'neutral', // prefers a dependency's modules without `require`
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'es2023',
    sourcemap: 'linked',
    // Comments and spaces take a tenth of the CPU time of a start. Lines stay short, so that a stack trace names a place.
    minifyWhitespace: true,
    lineLimit: 160,
    external: [
      ...Object.keys(dependencies).filter((name) => !BUNDLED.includes(name)),
      ...Object.keys(peerDependencies),
      'node:*',
      'onnxruntime-node',
      'esbuild',
      'tsx',
    ],
    logLevel: 'warning',
    plugins: [ownAddresses(dist)],
  });
}

/** Removes what was compiled from sources that are gone: a worker's module among it would be bundled, with imports that fail. */
function removeStale(folder, dist) {
  for (const path of modulesOf(dist)) {
    const name = relative(dist, path).slice(0, -'.js'.length);
    if (existsSync(join(folder, 'src', `${name}.ts`))) continue;
    for (const suffix of ['.js', '.js.map', '.d.ts']) rmSync(join(dist, name + suffix), { force: true });
  }
}

const modulesOf = (dist) =>
  readdirSync(dist, { recursive: true })
    .filter((path) => path.endsWith('.js') && !/^(bundle|browser)[\\/]/.test(path))
    .map((path) => join(dist, path));

/**
 * Gives each module its original address, from which it finds files; a module that starts a worker gets the bundle's address,
 * where the worker is.
 */
const ownAddresses = (dist) => ({
  name: 'own-addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist + sep)) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.') || text.search(WORKER_MODULE) >= 0) return undefined;
      const address = `new URL(${JSON.stringify(`../${relative(dist, path)}`)}, import.meta.url)`;
      const contents = text
        .replaceAll(/(?<!')import\.meta\.url/g, `${address}.href`)
        .replaceAll('import.meta.dirname', `ownPath(new URL('.', ${address}))`)
        .replaceAll('import.meta.filename', `ownPath(${address})`);
      const isPath = contents.includes('ownPath(');
      return {
        contents: isPath ? `import { fileURLToPath as ownPath } from 'node:url';${contents}` : contents,
        loader: 'js',
      };
    }),
});

for (const folder of folders) {
  await bundle(folder);
  await bundleForBrowsers(folder);
}
