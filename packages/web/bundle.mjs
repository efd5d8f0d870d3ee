// Bundles the program for a page: `dist/page/worker.js`, its chunks, ONNX Runtime's WebAssembly and the shipped files. Node's
// modules are replaced by those of @bowyer/page; a missing one is an error at run time that names it. Other packages are bundled
// from their builds, with the replacements in their `browser` fields.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { absentModules, builtin, counterpart, kernelModules, pageAddresses } from '../../tools/page-modules.mjs';

const folder = import.meta.dirname;
const packages = join(folder, '..');
const repository = join(packages, '..');
const out = join(folder, 'dist/page');
const require = createRequire(import.meta.url);

const kernels = () =>
  readdirSync(packages)
    .filter((name) => name !== 'mpi' && existsSync(join(packages, name, 'dist')))
    .flatMap((name) => kernelModules(join(packages, name, 'dist')));

const page = {
  name: 'page',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^bowyer:kernels$/ }, ({ path }) => ({ path, namespace: 'kernels' }));
    onLoad({ filter: /.*/, namespace: 'kernels' }, () => {
      const files = kernels();
      const imports = files.map((path, i) => `import * as k${i} from ${JSON.stringify(path)};`).join('\n');
      return {
        contents: `${imports}\nexport const kernels = { ${files.map((_, i) => `...k${i}`).join(', ')} };`,
        resolveDir: folder,
      };
    });
    onResolve({ filter: /.*/ }, ({ path }) => {
      // `buffer/` asks for the npm package and `buffer` for Node's module; both get the same replacement
      const name = builtin(path.replace(/\/$/, ''));
      const module = name === undefined ? path : counterpart(name);
      const [, package_, part = 'index'] = /^@bowyer\/([a-z]+)(?:\/(.*))?$/.exec(module ?? '') ?? [];
      if (package_ === undefined) return undefined;
      return { path: join(packages, package_, package_ === 'page' ? 'dist/bundle' : 'dist', `${part}.js`) };
    });
  },
};

/** Collects the files that the program reads: configs, studies, the packages' manifests and the environments' data. */
async function shippedFiles() {
  const files = {};
  const add = (path, endings) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) add(inner, endings);
      else if (endings.test(entry.name) && statSync(inner).size < 300_000)
        files[`/app/${relative(repository, inner).split(sep).join('/')}`] = readFileSync(inner, 'utf8');
    }
  };
  add(join(repository, 'configs'), /\.(json|yaml)$/);
  add(join(repository, 'experiments'), /\.yaml$/);
  add(join(packages, 'envs/src'), /\.(csv|json|txt)$/);
  for (const name of readdirSync(packages)) {
    const manifest = join(packages, name, 'package.json');
    if (existsSync(manifest)) files[`/app/packages/${name}/package.json`] = readFileSync(manifest, 'utf8');
  }
  const views = await import(pathToFileURL(join(packages, 'views/dist/index.js')));
  files['/app/packages/views/dist/pages.json'] = await views.packedPages();
  return files;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: [join(folder, 'dist/worker.js')],
  outdir: out,
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  keepNames: true,
  metafile: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2023',
  inject: [join(folder, 'dist/install-globals.js')],
  define: { 'process.env.NODE_DEBUG': 'undefined' },
  logLevel: 'error',
  plugins: [absentModules, page, pageAddresses],
});
const wasm = dirname(require.resolve('onnxruntime-web/wasm'));
for (const name of readdirSync(wasm))
  if (/^ort-wasm-simd-threaded(\.asyncify)?\.(wasm|mjs)$/.test(name)) copyFileSync(join(wasm, name), join(out, name));
writeFileSync(join(out, 'files.json'), JSON.stringify(await shippedFiles()));
const bytes = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'));
const sum = bytes.reduce((total, [, output]) => total + output.bytes, 0);
console.log(`page: ${bytes.length} scripts, ${(sum / 2 ** 20).toFixed(1)} MiB`);
