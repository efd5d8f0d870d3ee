// Bundles the other packages into a few files for Jest, which loads every module again for each test file: this costs 0.75 s of
// CPU time for a test that imports @bowyer/models, and 1.5 s for one that imports the runner. Bundles are made from the sources
// whenever one has changed, so that they are never stale. Every module keeps its own `import.meta.url`.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const packages = join(repository, 'packages');
// Jest does not transform files below node_modules, and external npm packages are resolved from there.
const cache = join(repository, 'node_modules/.cache/bowyer-test-packages');
/** Native modules, and modules that start programs or threads from their own files. */
const EXTERNAL = ['onnxruntime-node', 'esbuild', 'tsx', 'ajv', '@swc/core', '@jest/globals'];

/** A build may remain in the folder of a removed package. */
const names = () =>
  readdirSync(packages).filter((name) => name !== 'testing' && existsSync(join(packages, name, 'src')));

const manifest = (name) => JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));

/** Returns the packages that a package imports, directly or indirectly. */
export function importedPackages(name) {
  const found = new Set();
  const visit = (from) => {
    for (const dependency of Object.keys(manifest(from).dependencies ?? {})) {
      const [, imported] = /^@bowyer\/(.*)$/.exec(dependency) ?? [];
      if (imported !== undefined && !found.has(imported)) visit(imported);
      if (imported !== undefined) found.add(imported);
    }
  };
  visit(name);
  return [...found].sort();
}

/** Returns the paths of all sources except tests. */
const sources = () =>
  names()
    .map((name) => join(packages, name, 'src'))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => join(folder, path)))
    .filter((path) => /(?<!\.test)\.(ts|json)$/.test(path));

/** Returns a hash of all sources. */
function sourcesKey() {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  hash.update(readFileSync(join(repository, 'package-lock.json')));
  for (const path of sources()) {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Returns whether the worker of a device imports the module by its path: the worker itself and the kernels of the models. */
const isOfWorker = (path) => /(graph[\\/]src[\\/]device[\\/]node[\\/]worker|kernels?)\.ts$/.test(path);

/**
 * Sets each module's `import.meta.url` to that of its source, except in modules that refer to one of the worker's modules, which
 * are beside the bundles.
 */
const ownAddresses = (folder) => ({
  name: 'own-addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const namesOne = /'\.\/(worker|[a-z0-9-]*kernels?)\.js', (import\.meta\.url|own)\)/.test(text);
      const url = namesOne ? path.replace(packages, folder).replace(/ts$/, 'js') : path;
      const values = { url: pathToFileURL(url).href, dirname: dirname(path), filename: path };
      const contents = Object.entries(values).reduce(
        (before, [key, value]) =>
          before.replaceAll(new RegExp(`(?<!')import\\.meta\\.${key}`, 'g'), JSON.stringify(value)),
        text,
      );
      return { contents, loader: 'ts' };
    }),
});

/** Removes bundles that are older than a day. Newer ones may be in use. */
function removeOld() {
  const old = (path) => statSync(path).mtimeMs < Date.now() - 86_400_000;
  for (const path of readdirSync(cache)
    .map((name) => join(cache, name))
    .filter(old))
    rmSync(path, { recursive: true, force: true });
}

/** @returns the folder of the bundles, with one file per package; they are made if they are missing */
async function bundleFolder() {
  const folder = join(cache, sourcesKey());
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return folder;
  mkdirSync(cache, { recursive: true });
  removeOld();
  const making = mkdtempSync(join(cache, 'making-'));
  writeFileSync(join(making, 'package.json'), '{ "type": "module" }');
  const { build } = await import('esbuild');
  const common = {
    outdir: making,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
    conditions: ['source'],
    external: EXTERNAL,
    sourcemap: 'linked', // for debuggers
    logLevel: 'error',
    plugins: [ownAddresses(folder)],
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
  };
  const entryPoints = names().map((name) => ({ in: join(packages, name, 'src/index.ts'), out: name }));
  await build({ ...common, entryPoints, splitting: true, chunkNames: 'chunk-[hash]' });
  const ofWorker = sources().filter(isOfWorker);
  await build({ ...common, entryPoints: ofWorker, outbase: packages });
  try {
    renameSync(making, folder);
  } catch {
    rmSync(making, { recursive: true, force: true }); // another package's tests made the bundles first
  }
  return folder;
}

/**
 * Returns Jest's moduleNameMapper for the packages that the tested package imports. Packages that import the tested one are not
 * bundled.
 *
 * @param folder where Jest was started
 * @returns undefined if that is not the folder of a package
 */
export async function bundledPackages(folder) {
  const name = basename(folder);
  if (folder !== join(packages, name)) return {};
  const bundles = await bundleFolder();
  return Object.fromEntries(importedPackages(name).map((one) => [`^@bowyer/${one}$`, join(bundles, `${one}.js`)]));
}
