// The description by which a program gets a command line, and the arguments of its hooks and jobs.
import type { Composition } from '../composition.js';
import type { ConfigError } from '../config-error.js';
import type { ImpliedDefaults } from '../defaults/implied.js';
import type { FlatNames } from '../flat-names.js';
import type { JsonSchema } from '../json-schema.js';
import type { PlainValue } from '../node.js';
import type { OverrideAliases } from '../overrides/aliases.js';
import type { ConfigDir } from '../sources/search-path.js';

export interface TextSink {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** Its width. */
  readonly columns?: number;
  write(text: string): unknown;
}

export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export interface CommandLine {
  /** The words that the user typed, without node and script. */
  readonly argv: readonly string[];
  /** The command's own name: in `--version`, and completed by the shell. */
  readonly programName: string;
  /** The words to type to call the program, for usage lines, such as `npx app`; `programName` unless given. */
  readonly commandPrefix?: string;
  readonly version?: string;
  /** `hydra.job.name` where no config sets it; the program's name without extension unless given. */
  readonly jobName?: string;
  /** The program's own config folder; relative to `programDir`. */
  readonly configDir: string;
  /** The folder in which `--config-path` starts; the working directory unless given. */
  readonly programDir?: string;
  /** The primary config; null for none. */
  readonly configName: string | null;
  /** Further folders, such as `{ dir: 'experiments', group: 'experiment' }`. */
  readonly searchPaths?: readonly ConfigDir[];
  /** Old keys that users may still type as overrides, such as `{ agent_type: 'algorithm' }`. */
  readonly overrideAliases?: OverrideAliases;
  /** Flat names by which users may give options that stand in nodes. */
  readonly flatNames?: FlatNames;
  /** Groups that the defaults list of a primary config leaves to this program; called at each composition. */
  readonly impliedDefaults?: ImpliedDefaults;
  /**
   * Translates the overrides of the command line into this program's own words, where users may type those of another one. Called once,
   * before anything is composed.
   *
   * @throws {ConfigError}
   */
  translate?(overrides: readonly string[], context: TranslateContext): Promise<readonly string[]>;
  /**
   * Returns a text to print instead of running, where the command line gives no primary config and asks for nothing but a run;
   * undefined runs the primary config.
   *
   * @param overrides of the command line, after `translate`
   */
  overview?(overrides: readonly string[]): Promise<string | undefined>;
  /** Returns whether users do not choose from a group, so that `--help` leaves it out. */
  isInternalGroup?(group: string): boolean;
  /** Does the work itself; a job that throws has failed. */
  job(context: JobContext): unknown;
  /**
   * Prepares a config right after it is composed, before it is printed, validated, saved or run. It may refuse the config, or return
   * another one, such as `composition.without(keys)`.
   *
   * @throws {ConfigError}
   */
  prepare?(composition: Composition, context: PrepareContext): Composition | Promise<Composition>;
  /**
   * Checks a config before any directory or file is created, in a sweep for each of its jobs; and after `--cfg` has printed, where an
   * error is only reported.
   *
   * @throws {ConfigError}
   */
  validate?(composition: Composition, context: ValidateContext): void | Promise<void>;
  /** Says how a prepared config came about, a line for each key that follows from another; `--dry-run` shows them. */
  notesOf?(composition: Composition): readonly string[];
  /** Returns a clearer error than that of composing, such as for a key that another version had; undefined keeps the error. */
  explain?(
    error: ConfigError,
    context: TranslateContext & { readonly overrides: readonly string[] },
  ): ConfigError | undefined | Promise<ConfigError | undefined>;
  /** Returns a JSON Schema of the whole config, for `--help` and for completion of values. */
  describe?(composition: Composition): JsonSchema | Promise<JsonSchema>;
  /** Paths of the options that people change, the most important ones first: `--help` begins with them. */
  readonly mainOptions?: readonly string[];
  /** Admits a job to its folder before anything is written into it. @throws where the job must not touch it */
  admit?(outputDirectory: string): Promise<void>;
  /** Launches a sweep by another sweeper or launcher; undefined leaves it to the basic ones. */
  launch?(request: SweepRequest): Promise<SweepOutcome | undefined>;
  /** Does what follows the last job of a sweep by the basic sweeper and launcher, failed or not. @returns lines to print */
  afterSweep?(directory: string): Promise<readonly string[]>;
  readonly stdout?: TextSink;
  readonly stderr?: TextSink;
  /** `hydra.job.env_set` is written into it while a job runs. */
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  /** The run's one time. */
  readonly now?: Date;
}

/**
 * The purpose of a composition: to run one job (`run`, also of a sweep and with `--dry-run`), as the start of a sweep with its
 * swept values left out (`sweep`), or to be shown by `--cfg`, `--info`, `--help` or tab completion.
 */
export type Purpose = 'run' | 'sweep' | 'cfg' | 'info' | 'help' | 'completion';

export interface TranslateContext {
  readonly configName: string | null;
  /** Whether it is the program's own, because the command line gives none. */
  readonly isDefaultConfig: boolean;
  /** Composes the config of this call with other overrides; what is swept is left out. @throws {ConfigError} */
  compose(overrides: readonly string[]): Composition;
}

/** One override as parsed, after aliases. */
export interface GivenOverride {
  /** `add` stands for `+key=value` and `++key=value`. */
  readonly kind: 'change' | 'add' | 'delete';
  /** The path of the option, where it was given by its flat name. */
  readonly key: string;
  /** The package that follows `@` in the key of a group. */
  readonly package?: string;
  /** True where the key names a config group, so that the value is the name of an option. */
  readonly isGroup: boolean;
  /** Undefined for `~key`, and for a sweep over several values. */
  readonly value: PlainValue | undefined;
  /** The text as typed. */
  readonly text: string;
}

export interface PrepareContext {
  readonly purpose: Purpose;
  /** The overrides of the command line; for a job of a sweep those of the job. Settings of hydra are among them. */
  readonly overrides: readonly GivenOverride[];
  /** The working directory: relative paths of the command line start there. */
  readonly cwd: string;
}

export interface ValidateContext {
  readonly purpose: 'run' | 'cfg';
}

/** The arguments of a job. */
export interface JobContext {
  readonly composition: Composition;
  /** Absolute; it exists. */
  readonly outputDirectory: string;
  /** The overrides of the job's config, without those of hydra. */
  readonly overrides: readonly string[];
  readonly jobName: string;
  /** Its index in a sweep. */
  readonly jobNumber?: number;
  /** Writes a line to where `hydra.job_logging` says: by default the console and `<job name>.log`. */
  log(level: LogLevel, message: string, logger?: string): void;
  /** Limits the console from now on to lines of this level and above, null: none; files get all. */
  limitConsole(level: LogLevel | null): void;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Record<string, string | undefined>;
  /** The working directory of the job: its output directory with `hydra.job.chdir`. */
  readonly cwd: string;
}

export type JobResult = { readonly failed: false } | { readonly failed: true; readonly error: unknown };

export interface SweepOutcome {
  readonly exitCode: number;
}

/** One sweep, as a sweeper or launcher sees it. Nothing is created or written before it is asked for. */
export interface SweepRequest {
  /** Composed with the sweeps left out; groups may still be open. */
  readonly master: Composition;
  /** `hydra.sweeper.params` first, then the task overrides as typed, sweeps included. */
  readonly overrides: readonly string[];
  /** Absolute `hydra.sweep.dir`. */
  readonly directory: string;
  /** Whether jobs are only planned and checked, and listed by `listJob` (`--dry-run`); nothing is started or written. */
  readonly dryRun: boolean;
  /** The program, with its outputs and its environment filled in. */
  readonly program: CommandLine & Required<Pick<CommandLine, 'stdout' | 'stderr' | 'env' | 'cwd'>>;
  /** Plans the jobs of the basic sweeper. @throws {ConfigError} for what it cannot expand */
  plan(): { readonly jobs: string[][]; readonly batches: number[] };
  /** Composes the config of one job: the command line's settings of hydra, then the job's own overrides. @throws {ConfigError} */
  composeJob(index: number, overrides: readonly string[]): Promise<Composition>;
  /** Runs the program's own checks of composed jobs. @throws {ConfigError} for the first job that fails them */
  check(compositions: Iterable<Composition>): Promise<void>;
  /** Returns the absolute `<hydra.sweep.dir>/<hydra.sweep.subdir>` of a job. */
  jobDirectory(job: Composition): string;
  /** Prints the lines of a job that `--dry-run` shows: overrides, folder, and which keys follow from others. */
  listJob(index: number, overrides: readonly string[], directory: string, job: Composition): void;
  /** Creates the sweep's directory and writes the composition it starts from, `multirun.yaml`. */
  writeMaster(): void;
  /** Runs a job in this process. Its failure is printed and returned. */
  runJob(index: number, composition: Composition): Promise<JobResult>;
  /** Returns the arguments for another process of the same program that runs exactly this job, into `directory`. */
  jobArguments(index: number, overrides: readonly string[], directory: string): string[];
  /** Writes a line to the sweep's own log, as `hydra.hydra_logging` says. */
  announce(line: string): void;
}
