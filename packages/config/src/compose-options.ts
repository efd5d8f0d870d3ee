import type { ImpliedDefaults } from './defaults/implied.js';
import type { FlatNames } from './flat-names.js';
import type { OverrideAliases } from './overrides/aliases.js';
import type { ConfigDir } from './sources/search-path.js';

export interface ComposeOptions {
  /** The config folders in search order; the first is the program's own. */
  readonly configDirs: readonly ConfigDir[];
  /** The name of the primary config; null for none. */
  readonly configName: string | null;
  /** The overrides as typed, one argument each. */
  readonly overrides: readonly string[];
  readonly overrideAliases?: OverrideAliases;
  readonly flatNames?: FlatNames;
  readonly impliedDefaults?: ImpliedDefaults;
  /** Environment variables; those of the process if not given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The value of `hydra.job.name`, unless a config sets it. */
  readonly jobName?: string;
  /** The time that `${now:…}` gives. */
  readonly now?: Date;
  /** The folder to which relative paths refer. */
  readonly cwd?: string;
  /** With 'multirun', overrides with several values are omitted, and config groups may be without an option. */
  readonly mode?: 'run' | 'multirun';
}
