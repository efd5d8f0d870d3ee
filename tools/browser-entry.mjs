// Bundles the browser entry of a package, `dist/browser`: its front door with its npm packages, without Node's modules. It
// imports the browser entries of our other packages, ONNX Runtime's build for pages, and @bowyer/page, which implements Node's
// modules with files in memory.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';
import { absentModules, importedModules, kernelModules, packages, pageAddresses } from './page-modules.mjs';

/** Data files next to the sources, which modules read by their own address. */
const DATA = /\.(csv|json|jsonl|txt)$/;

/** Returns the source of the entry: it writes the package's data as files, registers its kernels, and re-exports the package. */
function entry(folder) {
  const dist = join(folder, 'dist');
  const name = relative(packages, folder);
  const source = join(folder, 'src');
  const data = readdirSync(source, { recursive: true }).filter((path) => DATA.test(path) && !path.includes('fixtures'));
  const files = Object.fromEntries(
    data.map((path) => [
      `/app/packages/${name}/src/${path.split(sep).join('/')}`,
      readFileSync(join(source, path), 'utf8'),
    ]),
  );
  const kernels = kernelModules(dist);
  return [
    data.length > 0 && `import { writeFiles } from '@bowyer/page'; writeFiles(${JSON.stringify(files)});`,
    kernels.length > 0 && `import { registerKernels } from '@bowyer/graph';`,
    ...kernels.map((path, i) => `import * as kernels${i} from ${JSON.stringify(path)}; registerKernels(kernels${i});`),
    `export * from ${JSON.stringify(join(dist, 'index.js'))};`,
  ]
    .filter(Boolean)
    .join('\n');
}

/** Bundles the entry of a package whose `exports` have one. */
export async function bundleForBrowsers(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (exports['.']?.browser === undefined || !existsSync(join(folder, 'dist'))) return;
  const out = join(folder, 'dist/browser');
  rmSync(out, { recursive: true, force: true });
  await build({
    absWorkingDir: folder, // names of chunks depend on it
    entryPoints: [{ in: 'bowyer:entry', out: 'index' }],
    outdir: out,
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2023',
    external: ['@bowyer/*', 'onnxruntime-web'],
    inject: ['bowyer:globals'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'entry',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^bowyer:entry$/ }, ({ path }) => ({ path, namespace: 'entry' }));
          onLoad({ filter: /.*/, namespace: 'entry' }, () => ({ contents: entry(folder), resolveDir: folder }));
        },
      },
      absentModules,
      importedModules,
      pageAddresses,
    ],
  });
}
