// Defines a session: one call of a program, with its parsed command line and the options for composing.
import path from 'node:path';
import type { ComposeOptions } from '../compose-options.js';
import type { CommandArguments } from './flags.js';
import type { CommandLine, TextSink } from './program.js';

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

export function composeOptions(
  session: Session,
  overrides: readonly string[] = session.flags.overrides,
): ComposeOptions {
  const { program, flags, configName, env, cwd, now, jobName } = session;
  const added = flags.configDirs.map((dir) => ({ dir: path.resolve(cwd, dir), provider: 'command-line' }));
  const main = path.resolve(cwd, program.configDir);
  return {
    configDirs: [main, ...added, ...(program.searchPaths ?? [])],
    configName,
    overrides,
    env,
    jobName,
    overrideAliases: program.overrideAliases,
    flatNames: program.flatNames,
    impliedDefaults: program.impliedDefaults,
    now,
    cwd,
  };
}
