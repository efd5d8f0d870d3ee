// Modules of the user that register algorithms, environments and tasks: `plugins: [./guess-number.ts]` in a config.
import { statSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, type Composition, type PrepareContext } from '@bowyer/config';
import { placeText } from './place-text.js';

const loaded = new Set<string>();

/** The composition with absolute paths, so that the config that a run saves works from any folder. */
export function withPluginPaths(composition: Composition, { cwd }: Pick<PrepareContext, 'cwd'>): Composition {
  const plugins = composition.setting('plugins');
  if (!Array.isArray(plugins) || plugins.length === 0) return composition;
  const paths = plugins.flatMap((plugin, i) => {
    if (typeof plugin !== 'string') return []; // the validation reports it
    return [[`plugins.${i}`, pathOf(composition, i, plugin, cwd)] as const];
  });
  return composition.with(Object.fromEntries(paths));
}

const pathOf = (composition: Composition, i: number, plugin: string, cwd: string): string =>
  resolve(dirname(composition.fileOf(`plugins.${i}`) ?? join(cwd, 'command line')), plugin);

/**
 * Imports each module once.
 *
 * @throws {ConfigError} for a module that does not exist or that fails
 */
export async function loadPlugins(composition: Composition): Promise<void> {
  const plugins = composition.setting('plugins');
  if (!Array.isArray(plugins)) return;
  for (const [i, plugin] of plugins.entries()) {
    if (typeof plugin !== 'string') continue; // the validation reports it
    const path = pathOf(composition, i, plugin, process.cwd());
    if (loaded.has(path)) continue;
    const [{ source, line }] = composition.origin(`plugins.${i}`);
    const place = `in ${placeText(source, line)}`;
    if (!isFile(path))
      throw new ConfigError(
        'validation',
        `plugins: there is no file '${path}'`,
        [
          place,
          'a relative path starts at the folder of the file that names it; one of the command line, at the working directory',
        ],
        { keyPath: 'plugins' },
      );
    await importPlugin(path, place);
    loaded.add(path);
  }
}

/** Imports plugins whose paths have been checked: in a process that another one started. */
export async function loadPluginFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await importPlugin(path, 'in a process of this run');
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function importPlugin(path: string, place: string): Promise<void> {
  try {
    await enablePlugins();
    await import(pathToFileURL(path).href);
  } catch (error) {
    throw new ConfigError(
      'validation',
      `plugins: '${path}' failed to load: ${(error as Error).message}`,
      [place, 'a plugin is a module that calls registerAlgorithm, registerEnvironment or registerTask: docs/extending'],
      { keyPath: 'plugins' },
    );
  }
}

let enabled = false;

/**
 * TypeScript runs as it is. A plugin's folder needs neither a package.json nor node_modules: its modules are ES modules, and
 * `@bowyer/…`, like every package that the folder does not have, is that of this installation.
 */
async function enablePlugins(): Promise<void> {
  if (enabled) return;
  enabled = true;
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: import.meta.url });
}

/** Registered after tsx, so these hooks are asked first. */
const hooks = `
  let installation;
  export const initialize = (data) => { installation = data; };
  const isTypeScript = (url) => /\\.m?ts$/.test(url.split('?')[0]) && !url.includes('/node_modules/');

  export async function resolve(specifier, context, next) {
    const ofInstallation = () => next(specifier, { ...context, parentURL: installation });
    if (specifier.startsWith('@bowyer/')) return ofInstallation();
    try {
      const found = await next(specifier, context);
      return isTypeScript(found.url) ? { ...found, format: 'module' } : found;
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || /^[./]|^[a-z]+:/.test(specifier)) throw error;
      return ofInstallation();
    }
  }

  export const load = (url, context, next) => next(url, isTypeScript(url) ? { ...context, format: 'module' } : context);
`;
