// What a program gives to have a command line, and that with its defaults filled in.
import path from 'node:path';
import type { ComposeOptions, Composition } from '../compose.js';
import type { ConfigDir } from '../sources/search-path.js';
import type { JsonSchema } from '../validate.js';
import type { CommandArguments } from './flags.js';
import type { LogLevel } from './job-log.js';
import type { SweepOutcome, SweepRequest } from './sweep-request.js';

export interface TextSink {
  write(text: string): unknown;
}

export interface CommandLine {
  /** What the user typed, without node and script. */
  readonly argv: readonly string[];
  /** Shown in usage texts and completed by the shell. */
  readonly programName: string;
  readonly version?: string;
  /** `hydra.job.name` where no config sets it; the program's name without extension unless given. */
  readonly jobName?: string;
  /** The program's own config folder; relative to `programDir`. */
  readonly configDir: string;
  /** Where `--config-path` starts; the working directory unless given. */
  readonly programDir?: string;
  /** The primary config; null for none. */
  readonly configName: string | null;
  /** Further folders, such as `{ dir: 'experiments', group: 'experiment' }`. */
  readonly searchPaths?: readonly ConfigDir[];
  /** The work itself; a job that throws has failed. */
  job(context: JobContext): unknown;
  /** Called before any folder or file is made, for a sweep for each of its jobs. @throws {ConfigError} */
  validate?(composition: Composition): void | Promise<void>;
  /** A JSON Schema of the whole config, for `--help` and for completion of values. */
  describe?(composition: Composition): JsonSchema | Promise<JsonSchema>;
  /** Other sweepers and launchers; undefined leaves the sweep to the basic ones. */
  launch?(request: SweepRequest): Promise<SweepOutcome | undefined>;
  readonly stdout?: TextSink;
  readonly stderr?: TextSink;
  /** `hydra.job.env_set` is written into it while a job runs. */
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  /** The run's one time. */
  readonly now?: Date;
}

/** What a job gets. */
export interface JobContext {
  readonly composition: Composition;
  /** Absolute, and there. */
  readonly outputDirectory: string;
  /** The overrides of the job's config, without those of hydra. */
  readonly overrides: readonly string[];
  readonly jobName: string;
  /** Its place in a sweep. */
  readonly jobNumber?: number;
  /** Write a line to where `hydra.job_logging` says: by default the console and `<job name>.log`. */
  log(level: LogLevel, message: string, logger?: string): void;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Record<string, string | undefined>;
  /** The output directory with `hydra.job.chdir`. */
  readonly cwd: string;
}

/** A program and one call of it. */
export interface Session {
  readonly program: CommandLine;
  readonly flags: CommandArguments;
  readonly configName: string | null;
  readonly jobName: string;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly env: Record<string, string | undefined>;
  readonly cwd: string;
  readonly now: Date;
}

export function openSession(program: CommandLine, flags: CommandArguments): Session {
  const env = program.env ?? process.env;
  const { configName = program.configName, configPath } = flags;
  const mainModule = env.HYDRA_MAIN_MODULE;
  const jobName = mainModule
    ? mainModule.split('.').at(-1)!
    : (program.jobName ?? path.parse(program.programName).name);
  const { stdout = process.stdout, stderr = process.stderr, cwd = process.cwd(), now = new Date() } = program;
  const own = configPath === undefined ? program : { ...program, configDir: configPath };
  return { program: own, flags, configName, jobName, stdout, stderr, env, cwd, now };
}

/** How to compose for this call. */
export function composeOptions(
  session: Session,
  overrides: readonly string[] = session.flags.overrides,
): ComposeOptions {
  const { program, flags, configName, env, cwd, now, jobName } = session;
  const added = flags.configDirs.map((dir) => ({ dir: path.resolve(cwd, dir), provider: 'command-line' }));
  const main = path.resolve(program.programDir ?? cwd, program.configDir);
  return {
    configDirs: [main, ...added, ...(program.searchPaths ?? [])],
    configName,
    overrides,
    env,
    jobName,
    now,
    cwd,
  };
}
