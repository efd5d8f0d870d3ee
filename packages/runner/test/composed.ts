// Composes a config in this process as the command line does, prepared but not run.
import { compose, ConfigError, registerResolver, type Composition } from '@bowyer/config';
import { overrideAliases } from '../src/config/adopted-names.js';
import { explain } from '../src/config/foreign-keys.js';
import { unreadKeys } from '../src/config/prepare.js';
import { validateConfig } from '../src/config/validate-config.js';
import { repository } from './command-line.js';

registerResolver('first', (...values) => values.find((value) => value !== null) ?? null);

/** With everything that its files say, whether the task reads it or not. */
export const unprepared = (configName: string, ...overrides: string[]): Composition =>
  compose({
    configDirs: [{ dir: `${repository}configs` }, { dir: `${repository}experiments`, group: 'experiment' }],
    configName,
    overrides,
    overrideAliases,
  });

/** @throws {ConfigError} for what the program refuses before a config is validated */
export async function composed(configName: string, ...overrides: string[]): Promise<Composition> {
  const composition = unprepared(configName, ...overrides);
  const given = composition.overrides.map(({ kind, key, value, text }) => ({
    kind: kind === 'set' ? ('change' as const) : kind === 'delete' ? kind : ('add' as const),
    key,
    isGroup: composition.repository.groupExists(key),
    value: typeof value === 'object' ? undefined : value,
    text,
  }));
  const context = { purpose: 'run' as const, overrides: given, cwd: repository };
  return composition.without(await unreadKeys(composition, context, `${repository}configs`));
}

/** What the user reads instead of a run; null for a config that runs. */
export async function refusal(configName: string, ...overrides: string[]): Promise<string | null> {
  try {
    await validateConfig(await composed(configName, ...overrides));
    return null;
  } catch (error) {
    const clearer = error instanceof ConfigError ? await explain(error) : undefined;
    return (clearer ?? (error as Error)).message;
  }
}
