// A program with composed configuration: its flags, what each of them does, and how its errors are told.
import path from 'node:path';
import { compose, hydraVersion, type ComposeOptions, type Composition } from '../compose.js';
import { ConfigError } from '../config-error.js';
import { pythonRepr } from '../python-text.js';
import type { ConfigDir } from '../sources/search-path.js';
import { parseFlags, usageLine, type Flags } from './flags.js';
import type { Streams } from './log.js';
import { runJob, type Job, type JobContext, type JobResult } from './run-job.js';

export interface CommandLineOptions {
  /** What follows the program's name. */
  readonly argv: readonly string[];
  /** As the user calls it; without its extension it is the job's name. */
  readonly programName: string;
  /** The program's own configs, absolute or relative to `programDir`. */
  readonly configDir: string;
  readonly configName: string | null;
  /** Runs one job; what it throws is the job's failure. */
  readonly job: Job;
  /** Folders searched after the program's own, such as `{ dir: 'experiments', group: 'experiment' }`. */
  readonly moreConfigDirs?: readonly ConfigDir[];
  /** The folder of the program, where `--config-path` starts; the working directory unless given. */
  readonly programDir?: string;
  /** Called with every config before its job starts, to validate it by a schema for instance. */
  readonly check?: (composition: Composition) => void | Promise<void>;
  /** Replaces the text of `--help`. */
  readonly help?: (composition: Composition) => string | Promise<string>;
  /** The program's version, for `--version`. */
  readonly version?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly clock?: () => Date;
  readonly streams?: Streams;
  /** Print warnings of the composition to stderr; unless given, where that is a terminal. */
  readonly showWarnings?: boolean;
}

const processStreams: Streams = { stdout: (text) => void process.stdout.write(text), stderr: (text) => void process.stderr.write(text) };

/** Run a program. @returns its exit code: 0, 1 for errors of the configuration or the job, 2 for wrong flags */
export async function runCommandLine(options: CommandLineOptions): Promise<number> {
  const { stderr } = options.streams ?? processStreams;
  const env = options.env ?? process.env;
  let flags: Flags;
  try {
    flags = parseFlags(options.argv);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    stderr(`${usageLine(options.programName)}\n${options.programName}: ${error.message}\n`);
    return 2;
  }
  try {
    return await new CommandLine(options, flags, env).run();
  } catch (error) {
    stderr(errorText(error, env.HYDRA_FULL_ERROR === '1'));
    return 1;
  }
}

/** A mistake in configs or overrides is told in plain lines; anything else with its stack. */
function errorText(error: unknown, full: boolean): string {
  const isPlain = error instanceof ConfigError && !full;
  const text = error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error);
  const cause = full && error instanceof Error && error.cause instanceof Error ? `\nCaused by: ${error.cause.stack}` : '';
  return `${text}${cause}\n${full ? '' : '\nSet the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.\n'}`;
}

class CommandLine {
  private readonly streams: Streams;
  private readonly context: JobContext;
  private readonly compose: ComposeOptions;

  constructor(
    private readonly options: CommandLineOptions,
    private readonly flags: Flags,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    const { cwd = process.cwd(), programDir = cwd, clock = () => new Date(), moreConfigDirs = [] } = options;
    this.streams = options.streams ?? processStreams;
    this.context = { cwd, clock, streams: this.streams };
    const added = flags.configDir === undefined ? [] : [{ dir: path.resolve(cwd, flags.configDir), provider: 'command-line' }];
    this.compose = {
      configDirs: [path.resolve(programDir, flags.configPath ?? options.configDir), ...moreConfigDirs, ...added],
      configName: flags.configName ?? options.configName,
      overrides: flags.overrides,
      env,
      cwd,
      now: clock(),
      jobName: jobName(env.HYDRA_MAIN_MODULE ?? options.programName),
    };
  }

  async run(): Promise<number> {
    const { flags } = this;
    if (flags.version) return this.print(`${this.options.programName} ${this.options.version ?? ''}`.trim() + ` (configs as in Hydra ${hydraVersion})\n`);
    if (flags.help) return this.print(await this.help());
    if (flags.resolve && !flags.cfg) throw new ConfigError('usage', '--resolve only goes with --cfg or --help', ['write --cfg job --resolve']);
    if (flags.hydraHelp) return this.print((await import('./show.js')).hydraHelp(compose({ ...this.compose, configName: null })));
    const commands = ['run', 'multirun', 'cfg', 'info', 'shellCompletion'].filter((key) => flags[key as keyof Flags]);
    if (commands.length > 1) throw new ConfigError('usage', `Only one of --run, --multirun, --cfg, --info and --shell-completion can be given, not ${commands.length}`, ['call the program once for each']);
    if (flags.shellCompletion) return this.complete();
    if (flags.info) return this.info(flags.info);
    return flags.cfg ? this.showConfig() : this.start();
  }

  private print(text: string): number {
    this.streams.stdout(text);
    return 0;
  }

  private async help(): Promise<string> {
    const composition = compose(this.compose);
    if (this.options.help) return this.options.help(composition);
    return (await import('./show.js')).appHelp(composition, this.flags.resolve);
  }

  private async showConfig(): Promise<number> {
    const { configText } = await import('./show.js');
    const text = configText(compose(this.compose), this.flags);
    if (text !== undefined) return this.print(text);
    this.streams.stderr(`package '${this.flags.package}' not found in config\n`);
    return 1;
  }

  private async info(topic: NonNullable<Flags['info']>): Promise<number> {
    const { infoText } = await import('./show.js');
    // After `--info origin` a plain word is a key to look up.
    const keys = topic === 'origin' ? this.flags.overrides.filter((word) => !/[=~]/.test(word)) : [];
    const overrides = this.flags.overrides.filter((word) => !keys.includes(word));
    return this.print(infoText(compose({ ...this.compose, overrides }), topic, keys));
  }

  private async complete(): Promise<number> {
    const { completionText } = await import('./completion.js');
    return this.print(completionText(this.flags.overrides, this.options.programName, this.compose));
  }

  /** Run or sweep, as the flags, or else `hydra.mode`, say. */
  private async start(): Promise<number> {
    const configured = this.configuredMode();
    const mode = this.flags.multirun ? 'MULTIRUN' : (configured ?? 'RUN');
    const overrides = mode === configured ? this.flags.overrides : [...this.flags.overrides, `hydra.mode=${mode}`];
    const failed = mode === 'RUN' ? await this.runOne(overrides) : await this.sweep(overrides);
    if (!failed) return 0;
    this.streams.stderr(`Error executing job with overrides: [${failed.overrides.map(pythonRepr).join(', ')}]\n`);
    throw failed.error;
  }

  private configuredMode(): string | undefined {
    try {
      const mode = compose({ ...this.compose, mode: 'multirun' }).setting('hydra.mode');
      return typeof mode === 'string' ? mode : undefined;
    } catch (error) {
      if (error instanceof ConfigError) return undefined; // told again, with its place, when the run composes
      throw error;
    }
  }

  private async runOne(overrides: readonly string[]): Promise<JobResult | undefined> {
    const composition = compose({ ...this.compose, overrides });
    this.warn(composition);
    await this.options.check?.(composition);
    const result = await runJob(this.options.job, composition, undefined, this.context);
    return result.failed ? result : undefined;
  }

  private async sweep(overrides: readonly string[]): Promise<JobResult | undefined> {
    const { multirun } = await import('./multirun.js');
    const { job, check } = this.options;
    return multirun({ ...this.compose, overrides }, { job, check, context: this.context, dryRun: this.flags.dryRun });
  }

  private warn({ warnings }: Composition): void {
    if (!(this.options.showWarnings ?? process.stderr.isTTY === true)) return;
    for (const warning of warnings) this.streams.stderr(`warning: ${warning}\n`);
  }
}

/** `tools/train.ts` and `pkg.train` are both the job `train`. */
function jobName(program: string): string {
  const file = path.basename(program);
  return /\.(ts|js|mjs|cjs|mts|cts|py)$/.test(file) ? file.replace(/\.\w+$/, '') : file.slice(file.lastIndexOf('.') + 1);
}
