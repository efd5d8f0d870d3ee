// Modules of the user that register algorithms, environments and tasks: `plugins: [./guess-number.ts]` in a config.
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { dirname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, type Composition, type PrepareContext } from '@bowyer/config';
import { placeText } from './place-text.js';

const loaded = new Set<string>();

/** Imports each module once. @throws {ConfigError} for one that is not there or that fails */
export async function loadPlugins(composition: Composition, { cwd }: Pick<PrepareContext, 'cwd'>): Promise<void> {
  const plugins = composition.setting('plugins');
  if (!Array.isArray(plugins)) return;
  for (const [i, plugin] of plugins.entries()) {
    if (typeof plugin !== 'string') continue; // the validation reports it
    const [{ source, line }] = composition.origin(`plugins.${i}`);
    const path = resolve(isAbsolute(source) ? dirname(source) : cwd, plugin);
    if (loaded.has(path)) continue;
    const place = `in ${placeText(source, line)}`;
    if (!existsSync(path))
      throw new ConfigError('validation', `plugins: there is no file '${path}'`, [place], { keyPath: 'plugins' });
    await importPlugin(path, place);
    loaded.add(path);
  }
}

async function importPlugin(path: string, place: string): Promise<void> {
  try {
    await enablePlugins();
    await import(pathToFileURL(path).href);
  } catch (error) {
    throw new ConfigError(
      'validation',
      `plugins: '${path}' failed to load: ${(error as Error).message}`,
      [
        place,
        'a plugin is a module that calls registerAlgorithm, registerEnvironment or registerTask of @bowyer/runner',
      ],
      { keyPath: 'plugins' },
    );
  }
}

let enabled = false;

/** TypeScript runs as it is, and packages that a plugin's own folder does not have are those of this installation. */
async function enablePlugins(): Promise<void> {
  if (enabled) return;
  enabled = true;
  const hooks = `
    let parent;
    export const initialize = (data) => { parent = data; };
    export async function resolve(specifier, context, next) {
      if (specifier.startsWith('@bowyer/')) return next(specifier, { ...context, parentURL: parent });
      try {
        return await next(specifier, context);
      } catch (error) {
        if (error.code !== 'ERR_MODULE_NOT_FOUND' || /^[./]|^[a-z]+:/.test(specifier)) throw error;
        return next(specifier, { ...context, parentURL: parent });
      }
    }`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: import.meta.url });
  const { register: registerTypeScript } = await import('tsx/esm/api');
  registerTypeScript();
}
