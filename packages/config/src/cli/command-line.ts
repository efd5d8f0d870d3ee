// Executes the command line of a program whose config is composed as in Hydra. Code that only --help, --info, shell completion or
// sweeps need is imported on demand, so that common calls start fast.
import path from 'node:path';
import { compose } from '../compose.js';
import type { Composition } from '../composition.js';
import { ConfigError } from '../config-error.js';
import { parseArguments, usageText, type CommandArguments } from './flags.js';
import { hintAtFullError, printWarnings, reportError } from './report-error.js';
import { runJob, textSetting } from './run-job.js';
import { prepared, printNotes } from './prepare.js';
import type { CommandLine, TranslateContext } from './program.js';
import { composeOptions, openSession, type Session } from './session.js';
import { noteHydraOverride, setHydraSetting } from '../set-setting.js';
import { showConfig } from './show-config.js';

/** Executes the command line of a program. Returns the exit code: 1 if something fails, 2 if the arguments are invalid. */
export async function runCommandLine(program: CommandLine): Promise<number> {
  let flags: CommandArguments;
  try {
    flags = parseArguments(program.argv);
  } catch (error) {
    const { message } = error as ConfigError;
    (program.stderr ?? process.stderr).write(
      `${usageText(program.commandPrefix ?? program.programName)}${program.programName}: error: ${message}\n`,
    );
    return 2;
  }
  const session = openSession(program, flags);
  try {
    flags.overrides = await translated(session);
    return await dispatch(session);
  } catch (error) {
    const context = { ...translateContext(session), overrides: flags.overrides };
    const clearer = error instanceof ConfigError ? await program.explain?.(error, context) : undefined;
    reportError(clearer ?? error, session);
    return 1;
  }
}

/** Applies the program's hook `translate`, except in tab completion, where the words typed so far may be incomplete. */
async function translated(session: Session): Promise<string[]> {
  const { program, flags } = session;
  if (!program.translate || flags.completion || flags.rerun !== undefined) return flags.overrides;
  return [...(await program.translate(flags.overrides, translateContext(session)))];
}

const translateContext = (session: Session): TranslateContext => ({
  configName: session.configName,
  isDefaultConfig: session.flags.configName === undefined,
  compose: (overrides) => compose({ ...composeOptions(session, overrides), mode: 'multirun' }),
});

async function dispatch(session: Session): Promise<number> {
  const { flags, program, stdout } = session;
  if (flags.version) {
    stdout.write(`${program.programName} ${program.version ?? ''}`.trimEnd() + '\n');
    return 0;
  }
  if (flags.resolve && flags.cfg === undefined && !flags.help)
    throw new ConfigError('usage', '--resolve says how to print: use it with --cfg or --help');
  if (flags.hydraHelp) return (await import('./help.js')).showHydraHelp(session);
  if (flags.help) return (await import('./help.js')).showHelp(session);
  const commands = [flags.run, flags.multirun, flags.cfg !== undefined, flags.info !== undefined, flags.completion];
  if (commands.filter(Boolean).length > 1)
    throw new ConfigError(
      'usage',
      'Only one of --run, --multirun, --cfg, --info and --shell-completion can be given at a time',
    );
  if (flags.completion) return (await import('./completion.js')).shellCompletion(session);
  if (flags.rerun !== undefined) return (await import('./rerun.js')).rerun(session, flags.rerun);
  if (flags.cfg !== undefined) return showConfig(session);
  if (flags.info !== undefined) return (await import('./info.js')).showInfo(session);
  const overview = await overviewText(session);
  if (overview !== undefined) {
    stdout.write(overview);
    return 0;
  }
  if (flags.multirun) return sweep(session, true);
  const composition = composeRun(session);
  return composition ? run(session, asRun(await prepared(session, composition, 'run'))) : sweep(session, false);
}

async function overviewText({ flags, program }: Session): Promise<string | undefined> {
  const { configName, run: isRunAskedFor, dryRun, overrides } = flags;
  if (configName !== undefined || isRunAskedFor || dryRun) return undefined;
  return program.overview?.(overrides);
}

async function sweep(session: Session, byFlag: boolean): Promise<number> {
  const { overrides } = session.flags;
  const typed =
    byFlag && !overrides.includes('hydra.mode=MULTIRUN') ? [...overrides, 'hydra.mode=MULTIRUN'] : overrides;
  return (await import('./run-sweep.js')).runSweep(session, typed);
}

/** Composes the config of a single job; undefined if `hydra.mode` requests a sweep. */
function composeRun(session: Session): Composition | undefined {
  const options = composeOptions(session);
  let composition: Composition;
  try {
    composition = compose(options);
  } catch (error) {
    // An override with several values, or a group without an option, is an error for a single job, but may be valid in a sweep.
    if (isSweepByConfig(session)) return undefined;
    throw error;
  }
  return composition.setting('hydra.mode') === 'MULTIRUN' ? undefined : composition;
}

function asRun(composition: Composition): Composition {
  if (composition.setting('hydra.mode') !== null) return composition;
  setHydraSetting(composition, 'mode', 'RUN');
  noteHydraOverride(composition, 'hydra.mode=RUN');
  return composition;
}

function isSweepByConfig(session: Session): boolean {
  try {
    return compose({ ...composeOptions(session), mode: 'multirun' }).setting('hydra.mode') === 'MULTIRUN';
  } catch {
    return false;
  }
}

async function run(session: Session, composition: Composition): Promise<number> {
  await session.program.validate?.(composition, { purpose: 'run' });
  printWarnings(session, composition);
  const outputDirectory = path.resolve(session.cwd, textSetting(composition, 'hydra.run.dir'));
  if (session.flags.dryRun) {
    session.stdout.write(`The config is complete and valid. A run would write to ${outputDirectory}\n`);
    printNotes(session, composition);
    return 0;
  }
  const { failed } = await runJob(session, composition, { outputDirectory, setting: 'hydra.run.dir' });
  if (failed) hintAtFullError(session);
  return failed ? 1 : 0;
}
