// One sweep, as a sweeper or launcher sees it: the composition it starts from, the basic plan of its jobs, and how to compose,
// check and run a job. Nothing is made or written before it is asked for.
import path from 'node:path';
import { compose, composeFrom, type Composition } from '../compose.js';
import { rootFrame } from '../key-path.js';
import type { MapNode } from '../node.js';
import { encodeElement } from '../overrides/encode.js';
import { parseOverride } from '../overrides/parser.js';
import { QuotedString, isHydraOverride } from '../overrides/value.js';
import { nodeStr } from '../python-text.js';
import { planSweep } from '../sweep.js';
import { writeYaml } from '../yaml/write.js';
import { JobLog } from './job-log.js';
import { makeFolder, writeFileWhole } from './output-files.js';
import { runJob, textSetting, type JobResult } from './run-job.js';
import { composeOptions, type CommandLine, type Session } from './session.js';
import { setHydraSetting } from './set-setting.js';

export interface SweepOutcome {
  readonly exitCode: number;
}

export class SweepRequest {
  /** Composed with the sweeps left out; groups may still be open. */
  readonly master: Composition;
  /** `hydra.sweeper.params` first, then the task overrides as typed, sweeps included. */
  readonly overrides: readonly string[];
  /** Absolute `hydra.sweep.dir`. */
  readonly directory: string;
  private readonly hydraOverrides: readonly string[];
  private log: JobLog | undefined;

  /** @param typed all overrides of the command line */
  constructor(
    private readonly session: Session,
    private readonly typed: readonly string[],
  ) {
    this.master = compose({ ...composeOptions(session, typed), mode: 'multirun' });
    const parsed = typed.map(parseOverride);
    this.hydraOverrides = parsed.filter(isHydraOverride).map(({ text }) => text);
    this.overrides = [
      ...sweeperParams(this.master),
      ...parsed.filter((override) => !isHydraOverride(override)).map(({ text }) => text),
    ];
    this.directory = path.resolve(session.cwd, textSetting(this.master, 'hydra.sweep.dir'));
  }

  /** The program, with its outputs and its environment filled in. */
  get program(): CommandLine & Required<Pick<CommandLine, 'stdout' | 'stderr' | 'env' | 'cwd'>> {
    const { program, stdout, stderr, env, cwd } = this.session;
    return { ...program, stdout, stderr, env, cwd };
  }

  /** The jobs of the basic sweeper. @throws {ConfigError} for what it cannot expand */
  plan(): { readonly jobs: string[][]; readonly batches: number[] } {
    const { jobs, batches } = planSweep(composeOptions(this.session, this.typed));
    return { jobs, batches };
  }

  /** The config of one job: the command line's settings of hydra, then the job's own overrides. */
  composeJob(index: number, overrides: readonly string[]): Composition {
    const all = [...this.hydraOverrides, ...overrides].map(parseOverride);
    const composition = composeFrom(this.master.repository, all, { ...composeOptions(this.session, []), mode: 'run' });
    setHydraSetting(composition, 'job.id', String(index));
    setHydraSetting(composition, 'job.num', index);
    return composition;
  }

  /** The program's own checks of composed jobs. @throws {ConfigError} for the first job that fails them */
  async check(compositions: Iterable<Composition>): Promise<void> {
    for (const composition of compositions) await this.session.program.validate?.(composition);
  }

  /** Absolute `<hydra.sweep.dir>/<hydra.sweep.subdir>` of a job. */
  jobDirectory(job: Composition): string {
    const { cwd } = this.session;
    return path.resolve(cwd, textSetting(job, 'hydra.sweep.dir'), String(job.setting('hydra.sweep.subdir')));
  }

  /** Make the sweep's folder and write the composition it starts from, `multirun.yaml`. */
  writeMaster(): void {
    makeFolder(this.directory, 'hydra.sweep.dir');
    writeFileWhole(path.join(this.directory, 'multirun.yaml'), writeYaml(this.master.full));
  }

  /** Run a job in this process. Its failure is printed and returned. */
  runJob(index: number, composition: Composition): Promise<JobResult> {
    const outputDirectory = this.jobDirectory(composition);
    return runJob(this.session, composition, { outputDirectory, setting: 'hydra.sweep.subdir', jobNumber: index });
  }

  /** Arguments for another process of the same program that runs exactly this job, into `directory`. */
  jobArguments(index: number, overrides: readonly string[], directory: string): string[] {
    const { flags, configName, cwd } = this.session;
    const own = /^[+]{0,2}hydra\.(mode|run\.dir|job\.(num|id))=/;
    return [
      ...(flags.configPath === undefined ? [] : ['--config-path', flags.configPath]),
      ...(configName === null ? [] : ['--config-name', configName]),
      ...flags.configDirs.flatMap((dir) => ['--config-dir', path.resolve(cwd, dir)]),
      ...this.hydraOverrides.filter((text) => !own.test(text)),
      'hydra.mode=RUN',
      `hydra.run.dir=${encodeElement(new QuotedString(directory, "'"))}`,
      `hydra.job.num=${index}`,
      `hydra.job.id=${index}`,
      ...overrides,
    ];
  }

  /** A line of the sweep's own log, as `hydra.hydra_logging` says. */
  announce(line: string): void {
    const { stdout, stderr, cwd } = this.session;
    const keyPath = 'hydra.hydra_logging';
    this.log ??= new JobLog(this.master.setting(keyPath), { stdout, stderr, cwd, keyPath });
    this.log.log('INFO', line, 'HYDRA');
  }
}

/** `hydra.sweeper.params` as override texts. */
function sweeperParams(master: Composition): string[] {
  const frame = master.resolution().select(rootFrame(master.full), 'hydra.sweeper.params');
  if (frame?.node.kind !== 'map') return [];
  const resolved = master.resolution().deep(frame) as MapNode;
  return [...resolved.entries.values()].map(({ key, node }) => `${String(key)}=${nodeStr(node)}`);
}
