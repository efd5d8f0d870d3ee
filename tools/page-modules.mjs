// Replaces Node's modules in bundles for pages by the counterparts in @bowyer/page. A module without a counterpart becomes one
// that throws an error with the module's name when code calls it.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';

const repository = resolve(import.meta.dirname, '..');
export const packages = join(repository, 'packages');
const counterparts = new Set(
  readdirSync(join(packages, 'page/src/node')).map((file) => file.replace('.ts', '').replace('-', '/')),
);

/** Packages that need servers, a native library or a file system with programs. */
const ABSENT =
  /^(@bowyer\/(mpi|tinker)|@modelcontextprotocol\/.*|@huggingface\/hub|cross-spawn|esbuild|just-bash|tsx(\/.*)?|undici)$/;

const GLOBALS = [
  'Buffer',
  'clearImmediate',
  'clearInterval',
  'clearTimeout',
  'global',
  'process',
  'setImmediate',
  'setInterval',
  'setTimeout',
];

/** Returns the name of a module of Node without `node:`; undefined for other modules. */
export function builtin(path) {
  const name = path.replace(/^node:/, '');
  return builtinModules.includes(name) || path.startsWith('node:') ? name : undefined;
}

/** Returns the module of @bowyer/page that replaces one of Node; undefined if there is none. */
export const counterpart = (name) =>
  counterparts.has(name) ? `@bowyer/page/node/${name.replace('/', '-')}` : undefined;

/** Replaces modules without a counterpart, and packages that need one, by modules that throw an error with the name. */
export const absentModules = {
  name: 'absent-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: ABSENT }, ({ path }) => ({ path, namespace: 'absent', sideEffects: false }));
    onResolve({ filter: /.*/ }, ({ path, namespace }) => {
      const name = builtin(path);
      if (namespace === 'absent' || name === undefined || counterparts.has(name)) return undefined;
      return { path: `node:${name}`, namespace: 'absent', sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: 'absent' }, ({ path }) => ({
      contents: `module.exports = new Proxy({}, { get(_, name) {
        if (name === '__esModule') return false;
        return function () { throw new Error(${JSON.stringify(path)} + ' is not in a page (' + String(name) + ')'); };
      } });`,
    }));
  },
};

/** Imports Node's modules and globals from @bowyer/page, which is not bundled. */
export const importedModules = {
  name: 'imported-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      const name = builtin(path.replace(/\/$/, '')); // with `buffer/` a package imports the npm package instead of Node's module
      const module = name === undefined ? undefined : counterpart(name);
      if (module === undefined) return undefined;
      // Old scripts call `require`, which does not exist in pages.
      if (kind === 'require-call') return { path: module, namespace: 'required', sideEffects: false };
      return { path: module, external: true, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `import * as module from ${JSON.stringify(path)}; export * from ${JSON.stringify(path)}; export default module.default;`,
    }));
    onResolve({ filter: /^bowyer:globals$/ }, ({ path }) => ({ path, namespace: 'globals', sideEffects: false }));
    onLoad({ filter: /.*/, namespace: 'globals' }, () => ({
      contents: `export { ${GLOBALS.join(', ')} } from '@bowyer/page/globals';`,
    }));
  },
};

/** Gives each module of our packages its address among the page's files: below /app, as in the repository. */
export const pageAddresses = {
  name: 'page-addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(packages) || path.includes(`${sep}node_modules${sep}`)) return undefined;
      if (path.startsWith(join(packages, 'web'))) return undefined;
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const at = `/app/${relative(repository, path).split(sep).join('/')}`;
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(`file://${at}`))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(at)))
        .replaceAll('import.meta.filename', JSON.stringify(at));
      return { contents };
    }),
};

/** Returns the built kernel modules in a folder, which a page needs by name. */
export const kernelModules = (dist) =>
  readdirSync(dist, { recursive: true })
    .filter((path) => path.endsWith('-kernel.js') && !/^(bundle|browser|page)[\\/]/.test(path))
    .map((path) => join(dist, path))
    .sort();
