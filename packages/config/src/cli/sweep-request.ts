// Describes the sweep that one call of a program runs, and its methods to compose, check and run a job.
import path from 'node:path';
import { compose, composeFrom } from '../compose.js';
import type { Composition } from '../composition.js';
import { withAliases } from '../overrides/aliases.js';
import { encodeElement } from '../overrides/encode.js';
import { parseOverride } from '../overrides/parser.js';
import { QuotedString, isHydraOverride } from '../overrides/value.js';
import { planSweep, sweeperParams } from '../sweep.js';
import { writeYaml } from '../yaml/write.js';
import { JobLog } from './job-log.js';
import { makeFolder, writeFileWhole } from './output-files.js';
import { prepared, printNotes } from './prepare.js';
import type { JobResult, SweepRequest } from './program.js';
import { runJob, textSetting } from './run-job.js';
import { composeOptions, type Session } from './session.js';
import { setHydraSetting } from '../set-setting.js';

export class CommandLineSweep implements SweepRequest {
  readonly overrides: readonly string[];
  readonly directory: string;
  private readonly hydraOverrides: readonly string[];
  private log: JobLog | undefined;

  private constructor(
    private readonly session: Session,
    private readonly typed: readonly string[],
    readonly master: Composition,
  ) {
    const parsed = typed.map(parseOverride);
    this.hydraOverrides = parsed.filter(isHydraOverride).map(({ text }) => text);
    this.overrides = [
      ...sweeperParams(master, session.program.overrideAliases),
      ...parsed.filter((override) => !isHydraOverride(override)).map(({ text }) => text),
    ];
    this.directory = path.resolve(session.cwd, textSetting(master, 'hydra.sweep.dir'));
  }

  /** Composes the base config of a sweep and returns the sweep. `typed`: all overrides of the command line. */
  static async open(session: Session, typed: readonly string[]): Promise<CommandLineSweep> {
    const overrides = withAliases(typed, session.program.overrideAliases);
    const master = compose({ ...composeOptions(session, overrides), mode: 'multirun' });
    return new CommandLineSweep(session, overrides, await prepared(session, master, 'sweep'));
  }

  get program(): SweepRequest['program'] {
    const { program, stdout, stderr, env, cwd } = this.session;
    return { ...program, stdout, stderr, env, cwd };
  }

  plan(): { readonly jobs: string[][]; readonly batches: number[] } {
    const { jobs, batches } = planSweep(composeOptions(this.session, this.typed));
    return { jobs, batches };
  }

  async composeJob(index: number, overrides: readonly string[]): Promise<Composition> {
    const all = [...this.hydraOverrides, ...overrides].map(parseOverride);
    const composed = composeFrom(this.master.repository, all, { ...composeOptions(this.session, []), mode: 'run' });
    const composition = await prepared(this.session, composed, 'run');
    setHydraSetting(composition, 'job.id', String(index));
    setHydraSetting(composition, 'job.num', index);
    return composition;
  }

  async check(compositions: Iterable<Composition>): Promise<void> {
    for (const composition of compositions) await this.session.program.validate?.(composition, { purpose: 'run' });
  }

  jobDirectory(job: Composition): string {
    const { cwd } = this.session;
    return path.resolve(cwd, textSetting(job, 'hydra.sweep.dir'), String(job.setting('hydra.sweep.subdir')));
  }

  get dryRun(): boolean {
    return this.session.flags.dryRun;
  }

  listJob(index: number, overrides: readonly string[], directory: string, job: Composition): void {
    this.session.stdout.write(`#${index} : ${overrides.join(' ')}  ->  ${directory}\n`);
    printNotes(this.session, job);
  }

  writeMaster(): void {
    makeFolder(this.directory, 'hydra.sweep.dir');
    writeFileWhole(path.join(this.directory, 'multirun.yaml'), writeYaml(this.master.full));
  }

  runJob(index: number, composition: Composition): Promise<JobResult> {
    const outputDirectory = this.jobDirectory(composition);
    return runJob(this.session, composition, { outputDirectory, setting: 'hydra.sweep.subdir', jobNumber: index });
  }

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

  announce(line: string): void {
    const { stdout, stderr, cwd } = this.session;
    const keyPath = 'hydra.hydra_logging';
    this.log ??= new JobLog(this.master.setting(keyPath), { stdout, stderr, cwd, keyPath });
    this.log.log('INFO', line, 'HYDRA');
  }
}
