// Defines the types with which a program describes its command line, and those of the arguments that its hooks and jobs get.
import type { Composition } from '../composition.js';
import type { ConfigError } from '../config-error.js';
import type { ImpliedDefaults } from '../defaults/implied.js';
import type { FlatNames } from '../flat-names.js';
import type { JsonSchema } from '../json-schema.js';
import type { PlainValue } from '../node.js';
import type { OverrideAliases } from '../overrides/aliases.js';
import type { ConfigDir } from '../sources/search-path.js';

export interface TextSink {
  readonly isTTY?: boolean;
  /** The terminal's width in characters. */
  readonly columns?: number;
  write(text: string): unknown;
}

export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export interface CommandLine {
  /** The user's arguments, without node and script. */
  readonly argv: readonly string[];
  /** The command's name, for `--version` and for completion in the shell. */
  readonly programName: string;
  /** The command as users type it, for usage lines, such as `npx app`; `programName` if not given. */
  readonly commandPrefix?: string;
  readonly version?: string;
  /** The value of `hydra.job.name`, unless a config sets it; by default the program's name without extension. */
  readonly jobName?: string;
  /** The program's own config folder, relative to the working directory. */
  readonly configDir: string;
  /** The name of the primary config that is used if the command line names none; null for a program without one. */
  readonly configName: string | null;
  /** Further folders of configs, such as `{ dir: 'experiments', group: 'experiment' }`. */
  readonly searchPaths?: readonly ConfigDir[];
  /** Old keys that users may still use in overrides, such as `{ agent_type: 'algorithm' }`. */
  readonly overrideAliases?: OverrideAliases;
  /** Flat names (short names such as `lm_lr`) by which users may set options inside nodes. */
  readonly flatNames?: FlatNames;
  /** Adds config groups that the defaults list of a primary config omits; called at each composition. */
  readonly impliedDefaults?: ImpliedDefaults;
  /** Translates overrides of another program's command line, once, before anything is composed. @throws {ConfigError} */
  translate?(overrides: readonly string[], context: TranslateContext): Promise<readonly string[]>;
  /**
   * Returns a text to print instead of running, if the command line names no primary config and has no flags that print;
   * undefined: the default config is run. `overrides` are those of the command line, after `translate`.
   */
  overview?(overrides: readonly string[]): Promise<string | undefined>;
  /** Returns whether users do not choose from a group, so that `--help` omits it. */
  isInternalGroup?(group: string): boolean;
  /** Does the program's work; a job that throws has failed. */
  job(context: JobContext): unknown;
  /** Called before a composed config is printed, validated, saved or run. It may return a changed one. @throws {ConfigError} */
  prepare?(composition: Composition, context: PrepareContext): Composition | Promise<Composition>;
  /**
   * Checks a config before a run creates any file, in a sweep for every job; only reported after `--cfg`. @throws {ConfigError}
   */
  validate?(composition: Composition, context: ValidateContext): void | Promise<void>;
  /** Returns a line for each key of a prepared config that was derived from another key; `--dry-run` prints them. */
  notesOf?(composition: Composition): readonly string[];
  /** Returns a clearer error than the given one, for example for a key of an older version; undefined keeps the error. */
  explain?(
    error: ConfigError,
    context: TranslateContext & { readonly overrides: readonly string[] },
  ): ConfigError | undefined | Promise<ConfigError | undefined>;
  /** Returns a JSON Schema of the whole config, for `--help` and for completing values. */
  describe?(composition: Composition): JsonSchema | Promise<JsonSchema>;
  /** Paths of the most important options, in order of importance; `--help` begins with them. */
  readonly mainOptions?: readonly string[];
  /** Called before a job writes into its folder. Throws an error if the job must not use the folder. */
  admit?(outputDirectory: string): Promise<void>;
  /** Runs a sweep with another sweeper or launcher; undefined: the basic ones are used. */
  launch?(request: SweepRequest): Promise<SweepOutcome | undefined>;
  /** Called after the last job of a sweep with the basic sweeper and launcher, even if jobs failed; returns lines to print. */
  afterSweep?(directory: string): Promise<readonly string[]>;
  readonly stdout?: TextSink;
  readonly stderr?: TextSink;
  /** The environment variables; `hydra.job.env_set` is written into them while a job runs. */
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  readonly now?: Date;
}

/**
 * The purpose of a composition: one job (`run`, also within a sweep and with `--dry-run`), the base of a sweep without the swept
 * values (`sweep`), `--cfg`, `--info`, `--help` or tab completion.
 */
export type Purpose = 'run' | 'sweep' | 'cfg' | 'info' | 'help' | 'completion';

export interface TranslateContext {
  readonly configName: string | null;
  /** Whether the primary config is the program's default, because the command line names none. */
  readonly isDefaultConfig: boolean;
  /** Composes the config of this call with other overrides; swept values are omitted. @throws {ConfigError} */
  compose(overrides: readonly string[]): Composition;
}

/** An override of the command line after parsing, with old keys replaced by present ones. */
export interface GivenOverride {
  /** `add` stands for `+key=value` and `++key=value`, `delete` for `~key`, `change` for `key=value`. */
  readonly kind: 'change' | 'add' | 'delete';
  /** The option's path, even if it was given by its flat name. */
  readonly key: string;
  /** The package after `@` in a group's key. */
  readonly package?: string;
  /** Whether the key names a config group, so that the value is the name of an option. */
  readonly isGroup: boolean;
  /** The value; undefined for `~key`, and for a sweep over several values. */
  readonly value: PlainValue | undefined;
  /** The text as typed. */
  readonly text: string;
}

export interface PrepareContext {
  readonly purpose: Purpose;
  /** The overrides of the command line, or of the job in a sweep, including settings of hydra. */
  readonly overrides: readonly GivenOverride[];
  /** The working directory, to which paths on the command line are relative. */
  readonly cwd: string;
}

export interface ValidateContext {
  readonly purpose: 'run' | 'cfg';
}

/** The arguments of a job. */
export interface JobContext {
  readonly composition: Composition;
  /** The absolute path of the job's folder, which exists. */
  readonly outputDirectory: string;
  /** The overrides of the job's config, without settings of hydra. */
  readonly overrides: readonly string[];
  readonly jobName: string;
  /** The job's index in its sweep; undefined for a single job. */
  readonly jobNumber?: number;
  /** Writes a line to the destinations in `hydra.job_logging`: by default the console and `<job name>.log`. */
  log(level: LogLevel, message: string, logger?: string): void;
  /** Limits the console to lines of at least this level, null: none; files get all lines. */
  limitConsole(level: LogLevel | null): void;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Record<string, string | undefined>;
  /** The job's working directory, which is its output directory with `hydra.job.chdir`. */
  readonly cwd: string;
}

export type JobResult = { readonly failed: false } | { readonly failed: true; readonly error: unknown };

export interface SweepOutcome {
  readonly exitCode: number;
}

/** A sweep in the form that a sweeper or launcher uses. Nothing is created or written unless a method is called. */
export interface SweepRequest {
  /** The base config of the sweep, without the swept values. Config groups may be without an option. */
  readonly master: Composition;
  /**
   * The overrides from which the jobs are made: `hydra.sweeper.params`, then those of the command line as typed, including swept
   * values; without settings of hydra.
   */
  readonly overrides: readonly string[];
  /** The absolute path of the sweep's folder, `hydra.sweep.dir`. */
  readonly directory: string;
  /** Whether jobs are only planned, checked, and printed with `listJob` (`--dry-run`); nothing is started or written then. */
  readonly dryRun: boolean;
  /** The program's description, in which stdout, stderr, env and cwd have their actual values. */
  readonly program: CommandLine & Required<Pick<CommandLine, 'stdout' | 'stderr' | 'env' | 'cwd'>>;
  /** One job for each combination of the swept values. @throws {ConfigError} for overrides that it cannot expand */
  plan(): { readonly jobs: string[][]; readonly batches: number[] };
  /** Composes a job from the command line's settings of hydra and the job's own overrides. @throws {ConfigError} */
  composeJob(index: number, overrides: readonly string[]): Promise<Composition>;
  /** Runs the program's checks. @throws {ConfigError} for the first job that fails them */
  check(compositions: Iterable<Composition>): Promise<void>;
  /** Returns the absolute path `<hydra.sweep.dir>/<hydra.sweep.subdir>` of a job. */
  jobDirectory(job: Composition): string;
  /** Prints a job for `--dry-run`: its overrides, its folder, and notes about derived keys. */
  listJob(index: number, overrides: readonly string[], directory: string, job: Composition): void;
  /** Creates the sweep's directory and writes the sweep's base config, `multirun.yaml`. */
  writeMaster(): void;
  /** Runs a job in this process. A failure is printed and returned. */
  runJob(index: number, composition: Composition): Promise<JobResult>;
  /** Returns the arguments with which another process of the program runs exactly this job, into `directory`. */
  jobArguments(index: number, overrides: readonly string[], directory: string): string[];
  /** Writes a line to the sweep's own log, as set by `hydra.hydra_logging`. */
  announce(line: string): void;
}
