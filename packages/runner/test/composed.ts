// Composes a config in this process as the command line does, prepared but not run.
import { compose, ConfigError, type Composition } from '@bowyer/config';
import { bowyer, overrideAliases, searchPaths } from '../src/program.js';
import { ConfigNotes } from '../src/config/config-notes.js';
import { validateConfig } from '../src/config/validate-config.js';
import { repository } from './command-line.js';

/** Composes the config with all keys of its files, including those that the task does not read. */
export const unprepared = (configName: string, ...overrides: string[]): Composition =>
  compose({
    configDirs: [{ dir: `${repository}configs` }, ...searchPaths],
    configName,
    overrides,
    overrideAliases,
    flatNames: bowyer([]).flatNames,
  });

/**
 * Does what the command line does before a run: it translates other programs' keys, composes, and removes keys that are not read.
 *
 * @param notes receives the lines that the run would log about it
 */
async function prepared(configName: string, typed: readonly string[], notes = new ConfigNotes()): Promise<Composition> {
  const program = bowyer(typed, null, notes);
  const overrides = await program.translate!(program.argv, contextOf(configName));
  const composition = unprepared(configName, ...overrides);
  const given = composition.overrides.map(({ kind, key, value, text }) => ({
    kind: kind === 'set' ? ('change' as const) : kind === 'delete' ? kind : ('add' as const),
    key: composition.repository.groupExists(key) ? key : composition.pathOf(key),
    isGroup: composition.repository.groupExists(key),
    value: typeof value === 'object' ? undefined : value,
    text,
  }));
  return program.prepare!(composition, { purpose: 'run', overrides: given, cwd: repository });
}

/** Returns the values of the keys of `expected`, which may be flat names. */
export const valuesOf = (composition: Composition, expected: object): Record<string, unknown> =>
  Object.fromEntries(Object.keys(expected).map((key) => [key, composition.setting(key)]));

/** Composes a config, and checks these values. */
export async function expectValues(words: readonly [string, ...string[]], expected: object): Promise<void> {
  expect(valuesOf(await composed(...words), expected)).toMatchObject(expected);
}

/** Makes the context of the hooks of the command line. */
export const contextOf = (configName: string) => ({
  configName,
  isDefaultConfig: false,
  compose: (overrides: readonly string[]) => unprepared(configName, ...overrides),
});

/** Returns the lines that a run logs about the origin of its config. */
export async function notesOf(configName: string, ...typed: string[]): Promise<string[]> {
  const notes = new ConfigNotes();
  const composition = await prepared(configName, typed, notes);
  return notes.of(composition).filter((line) => !/^\S+ is [a-z_.]+$/.test(line)); // without the lines that explain flat names, such as `lr is task.lr`
}

/**
 * Composes the config as the program prepares it.
 *
 * @throws {ConfigError} for mistakes that the program finds before it validates a config
 */
export const composed = (configName: string, ...overrides: string[]): Promise<Composition> =>
  prepared(configName, overrides);

/** Returns the message with which the program refuses a config; null if the config is valid. */
export async function refusal(configName: string, ...overrides: string[]): Promise<string | null> {
  try {
    await validateConfig(await composed(configName, ...overrides));
    return null;
  } catch (error) {
    const context = { ...contextOf(configName), overrides: bowyer(overrides).argv };
    const clearer = error instanceof ConfigError ? await bowyer([]).explain!(error, context) : undefined;
    return (clearer ?? (error as Error)).message;
  }
}
