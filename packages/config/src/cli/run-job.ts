import path from 'node:path';
import type { Composition } from '../composition.js';
import { ConfigError } from '../config-error.js';
import { type PlainValue, fromPlain } from '../node.js';
import { writeYaml } from '../yaml/write.js';
import { JobLog } from './job-log.js';
import { makeFolder, writeFileWhole } from './output-files.js';
import { reportJobFailure } from './report-error.js';
import type { JobContext, JobResult } from './program.js';
import type { Session } from './session.js';
import { setHydraSetting } from '../set-setting.js';

interface JobPlace {
  /** The absolute path of the job's folder. */
  readonly outputDirectory: string;
  /** The key of the setting that determines the output directory, such as `hydra.run.dir`, for error messages. */
  readonly setting: string;
  readonly jobNumber?: number;
  /** Whether to save the job's config in `.hydra`; false for a rerun, since its first run has saved it. */
  readonly record?: boolean;
}

export function textSetting(composition: Composition, keyPath: string): string {
  const value = composition.setting(keyPath);
  if (typeof value === 'string' && value !== '???') return value;
  throw new ConfigError(
    'composition',
    `${keyPath} must be given (it is ${value === undefined ? 'absent' : String(value)})`,
    [`write ${keyPath}=…`],
    { keyPath },
  );
}

/** Throws ConfigError if the job's folder, saved config or log cannot be created; a failure of the job itself is returned. */
export async function runJob(session: Session, composition: Composition, place: JobPlace): Promise<JobResult> {
  const { outputDirectory, setting, jobNumber, record = true } = place;
  const { stdout, stderr, env } = session;
  const overrides = (composition.setting('hydra.overrides.task') ?? []) as string[];
  try {
    if (record) await session.program.admit?.(outputDirectory);
  } catch (error) {
    reportJobFailure(error, overrides, session);
    return { failed: true, error };
  }
  makeFolder(outputDirectory, setting);
  setHydraSetting(composition, 'runtime.output_dir', outputDirectory);
  if (record) writeRecord(composition, outputDirectory, overrides);
  const jobName = textSetting(composition, 'hydra.job.name');
  const log = openLog(session, composition);
  const cwd = composition.setting('hydra.job.chdir') === true ? outputDirectory : session.cwd;
  const restore = enter(env, asTexts(composition.setting('hydra.job.env_set')), cwd === session.cwd ? undefined : cwd);
  const context: JobContext = {
    composition,
    outputDirectory,
    overrides,
    jobName,
    jobNumber,
    stdout,
    stderr,
    env,
    cwd,
    log: (level, message, logger = jobName) => log.log(level, message, logger),
    limitConsole: (level) => log.limitConsole(level),
  };
  try {
    await session.program.job(context);
    return { failed: false };
  } catch (error) {
    reportJobFailure(error, overrides, session);
    return { failed: true, error };
  } finally {
    restore();
    log.close();
  }
}

function writeRecord(composition: Composition, outputDirectory: string, overrides: readonly string[]): void {
  const subdirectory = composition.setting('hydra.output_subdir');
  if (subdirectory === null || subdirectory === undefined) return;
  const folder = path.resolve(outputDirectory, String(subdirectory));
  makeFolder(folder, 'hydra.output_subdir');
  writeFileWhole(path.join(folder, 'config.yaml'), composition.yaml);
  writeFileWhole(path.join(folder, 'hydra.yaml'), composition.hydraYaml);
  writeFileWhole(path.join(folder, 'overrides.yaml'), writeYaml(fromPlain([...overrides], { source: 'command line' })));
}

function openLog({ stdout, stderr, cwd }: Session, composition: Composition): JobLog {
  const keyPath = 'hydra.job_logging';
  return new JobLog(composition.setting(keyPath), {
    stdout,
    stderr,
    cwd,
    verbose: composition.setting('hydra.verbose'),
    keyPath,
  });
}

function asTexts(value: PlainValue | undefined): Record<string, string> {
  if (value === null || typeof value !== 'object') return {};
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, String(item)]));
}

/** Sets environment variables and the working directory for a job, and returns a function that restores both. */
function enter(
  env: Record<string, string | undefined>,
  variables: Record<string, string>,
  folder: string | undefined,
): () => void {
  const before = Object.keys(variables).map((name): [string, string | undefined] => [name, env[name]]);
  Object.assign(env, variables);
  const cwdBefore = process.cwd();
  if (folder !== undefined) process.chdir(folder);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete env[name];
      else env[name] = value;
    }
    if (folder !== undefined) process.chdir(cwdBefore);
  };
}
