// The inputs of a composition.
import type { ImpliedDefaults } from './defaults/implied.js';
import type { FlatNames } from './flat-names.js';
import type { OverrideAliases } from './overrides/aliases.js';
import type { ConfigDir } from './sources/search-path.js';

export interface ComposeOptions {
  /** Searched in order; the first is the program's own. */
  readonly configDirs: readonly ConfigDir[];
  /** The primary config; null for none. */
  readonly configName: string | null;
  /** The overrides as typed, one argument each. */
  readonly overrides: readonly string[];
  /** Old keys that overrides may use. */
  readonly overrideAliases?: OverrideAliases;
  /** Flat names that overrides and files may use for options that stand in nodes. */
  readonly flatNames?: FlatNames;
  /** Groups that the defaults list of the primary config leaves to the program. */
  readonly impliedDefaults?: ImpliedDefaults;
  /** Environment variables; those of the process unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `hydra.job.name`, where no config sets it. */
  readonly jobName?: string;
  /** The run's one time, for `${now:…}`. */
  readonly now?: Date;
  /** Relative folders start here. */
  readonly cwd?: string;
  /** 'multirun': sweeps in the overrides are left out, and groups may still be open. */
  readonly mode?: 'run' | 'multirun';
}
