// Bundles the program for a page: `dist/page/worker.js`, its chunks, ONNX Runtime's WebAssembly and the shipped files. Node's modules are
// those of `src/node`; one that is not there is refused by name when code reaches it. Modules of other packages are taken as they are
// built, with the replacements of their `browser` fields.
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
import { builtinModules, createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const folder = import.meta.dirname;
const packages = join(folder, '..');
const repository = join(packages, '..');
const out = join(folder, 'dist/page');
const require = createRequire(import.meta.url);

/** Packages that need a network of servers or a native library, and are loaded only where a command asks for them. */
const ABSENT =
  /^(@bowyer\/(mpi|tinker)|@modelcontextprotocol\/.*|@huggingface\/hub|cross-spawn|esbuild|tsx\/.*|undici)$/;

const nodeModule = (name) => {
  const file = join(folder, 'dist/node', `${name.replace('/', '-')}.js`);
  return existsSync(file) ? { path: file } : { path: `node:${name}`, namespace: 'absent' };
};

const kernels = () =>
  readdirSync(packages)
    .map((name) => join(packages, name, 'dist'))
    .filter((dist) => existsSync(dist) && !dist.endsWith(`mpi${sep}dist`))
    .flatMap((dist) => readdirSync(dist, { recursive: true }).map((path) => join(dist, path)))
    .filter((path) => path.endsWith('-kernel.js') && !path.includes(`${sep}bundle${sep}`) && !path.startsWith(out))
    .sort();

const page = {
  name: 'page',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: ABSENT }, ({ path }) => ({ path, namespace: 'absent' }));
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get(_, name) {
        if (name === '__esModule') return false;
        return function () { throw new Error(${JSON.stringify(path)} + ' is not in a page (' + String(name) + ')'); };
      } });`,
    }));
    onResolve({ filter: /^bowyer:kernels$/ }, ({ path }) => ({ path, namespace: 'kernels' }));
    onLoad({ filter: /.*/, namespace: 'kernels' }, () => {
      const files = kernels();
      const imports = files.map((path, i) => `import * as k${i} from ${JSON.stringify(path)};`).join('\n');
      return {
        contents: `${imports}\nexport const kernels = { ${files.map((_, i) => `...k${i}`).join(', ')} };`,
        resolveDir: folder,
      };
    });
    onResolve({ filter: /^@bowyer\// }, ({ path }) => {
      const [, name, part = 'index'] = /^@bowyer\/([a-z]+)(?:\/(.*))?$/.exec(path);
      return { path: join(packages, name, 'dist', `${part}.js`) };
    });
    onResolve({ filter: /.*/ }, ({ path, importer, namespace }) => {
      if (namespace === 'absent') return undefined;
      const name = path.replace(/^node:/, '');
      if (!builtinModules.includes(name) && !path.startsWith('node:')) return undefined;
      if (importer.includes(`${sep}node_modules${sep}`) || importer.startsWith(join(folder, 'dist'))) {
        // Libraries of a page name some of Node's modules after packages that stand in for them.
        if (!path.startsWith('node:') && ['buffer', 'events', 'string_decoder', 'util'].includes(name))
          return { path: require.resolve(`${name}/`) };
      }
      if (['events', 'string_decoder'].includes(name)) return { path: require.resolve(`${name}/`) };
      return nodeModule(name);
    });
    // Each module has the address that it has in the files of the page.
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(packages) || path.startsWith(folder) || path.includes(`${sep}node_modules${sep}`))
        return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const at = `/app/${relative(repository, path).split(sep).join('/')}`;
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(`file://${at}`))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(at)))
        .replaceAll('import.meta.filename', JSON.stringify(at));
      return { contents };
    });
  },
};

/** Collects the configs, the studies, the packages' manifests and the environments' data. */
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
  inject: [join(folder, 'dist/globals.js')],
  define: { 'process.env.NODE_DEBUG': 'undefined' },
  logLevel: 'error',
  plugins: [page],
});
const wasm = dirname(require.resolve('onnxruntime-web/wasm'));
for (const name of readdirSync(wasm))
  if (/^ort-wasm-simd-threaded(\.asyncify)?\.(wasm|mjs)$/.test(name)) copyFileSync(join(wasm, name), join(out, name));
writeFileSync(join(out, 'files.json'), JSON.stringify(await shippedFiles()));
const bytes = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'));
const sum = bytes.reduce((total, [, output]) => total + output.bytes, 0);
console.log(`page: ${bytes.length} scripts, ${(sum / 2 ** 20).toFixed(1)} MiB`);
