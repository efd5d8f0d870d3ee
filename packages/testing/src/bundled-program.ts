// The built command line in a few files, for suites that start it many times: loading its 2,000 modules takes 2 s of CPU time,
// most of that of a tiny run. Everything keeps the address of its own module, so the configs, the kernels and the workers are found.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const packages = join(repository, 'packages');
const main = join(packages, 'runner/dist/main.js');
const worker = join(packages, 'graph/dist/device/worker.js');

/** @param folder of the bundle */
const ownAddresses = (folder: string): Plugin => ({
  name: 'own-addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /packages\/[a-z]+\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      // The client of the device starts the bundled worker, which is beside it.
      const isClient = path === join(dirname(worker), 'worker-client.js');
      const url = pathToFileURL(isClient ? path.replace(packages, join(folder, 'packages')) : path).href;
      const values = { url, dirname: dirname(path), filename: path };
      const contents = Object.entries(values).reduce(
        (before, [key, value]) => before.replaceAll(`import.meta.${key}`, JSON.stringify(value)),
        text,
      );
      return { contents, loader: 'js' };
    }),
});

/**
 * @returns the program to give to Node; it is removed when this process ends
 * @throws if the packages are not built
 */
export async function bundledProgram(): Promise<string> {
  if (!existsSync(main)) throw new Error(`${main} does not exist; run 'npm run build'`);
  const { build } = await import('esbuild');
  const folder = mkdtempSync(join(repository, 'node_modules/.bowyer-bundle-')); // native modules are found from there
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [main, worker],
    outbase: repository,
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    external: ['onnxruntime-node', 'ajv', 'tsx', 'esbuild'],
    logLevel: 'error',
    minifyWhitespace: true,
    minifySyntax: true, // half as much to compile
    plugins: [ownAddresses(folder)],
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
  });
  return join(folder, 'packages/runner/dist/main.js');
}
