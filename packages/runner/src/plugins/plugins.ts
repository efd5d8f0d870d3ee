// Loads the user's modules that register algorithms, environments and tasks, which a config names: `plugins:
// [./guess-number.ts]`.
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError, type Composition, type PrepareContext } from '@bowyer/config';
import { placeText } from './place-text.js';

const loaded = new Set<string>();

/** Makes the paths of plugins in a config absolute, so that the saved config of the run works in any working directory. */
export function withPluginPaths(composition: Composition, { cwd }: Pick<PrepareContext, 'cwd'>): Composition {
  const plugins = composition.setting('plugins');
  if (!Array.isArray(plugins) || plugins.length === 0) return composition;
  const paths = plugins.flatMap((plugin, i) => {
    if (typeof plugin !== 'string') return []; // the validation reports values that are not texts
    return [[`plugins.${i}`, pathOf(composition, i, plugin, cwd)] as const];
  });
  return composition.with(Object.fromEntries(paths));
}

const pathOf = (composition: Composition, i: number, plugin: string, cwd: string): string =>
  resolve(dirname(composition.fileOf(`plugins.${i}`) ?? join(cwd, 'command line')), plugin);

/**
 * Imports each plugin of a config once.
 *
 * @throws {ConfigError} for a plugin that does not exist or that throws
 */
export async function loadPlugins(composition: Composition): Promise<void> {
  const plugins = composition.setting('plugins');
  if (!Array.isArray(plugins)) return;
  for (const [i, plugin] of plugins.entries()) {
    if (typeof plugin !== 'string') continue; // the validation reports values that are not texts
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

/** Imports plugins in a worker process of a run; the parent process has checked their paths. */
export async function loadPluginFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await importPlugin(path, 'in a process of this run');
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

async function importPlugin(path: string, place: string): Promise<void> {
  const { enableTypeScript, importUserModule } = await import('@bowyer/envs');
  try {
    await enableTypeScript(import.meta.url);
    await importUserModule(path);
  } catch (error) {
    throw new ConfigError(
      'validation',
      `plugins: '${path}' failed to load: ${(error as Error).message}`,
      [place, 'a plugin is a module that calls registerAlgorithm, registerEnvironment or registerTask: docs/extending'],
      { keyPath: 'plugins' },
    );
  }
}
