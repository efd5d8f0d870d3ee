// Launches the sweeps of the command line: reads the config nodes `launcher` and `sweeper`, plans the jobs and runs them. Only
// Hydra's basic sweeper with its basic launcher is left to @bowyer/config.
import type { SweepOutcome, SweepRequest } from '@bowyer/config';
import { AshaSource } from './asha-source.js';
import { owningFolder } from '../run/folder-owner.js';
import { compareJobs } from './compare-jobs.js';
import { JobBoard, figure } from './job-board.js';
import { jobList } from './job-list.js';
import { readMarkers, type JobMarker } from './job-marker.js';
import { readJobMetrics } from './job-metrics.js';
import { shellQuoted } from '@bowyer/core';
import { sweepOutput } from '../context/terminal.js';
import { planJobs, type PlannedSweep } from './plan-jobs.js';
import { LocalLauncher } from './run-jobs.js';
import type { SweeperConfig } from '../keys/sweep-schema.js';
import { makeWandbSweep } from './wandb-sweep.js';
import { writeKubernetes } from './kubernetes/write-kubernetes.js';
import { openSlurm, type OpenedSlurm } from './slurm/open-slurm.js';
import { SlurmLauncher } from './slurm/run-slurm.js';
import { jobLabel, type JobOutcome, type JobSource, type JobStart, type SweepJob } from './sweep-job.js';
import { summaryText, variedOverrides, writeSummary, type SummaryRow } from './summary.js';

/** The exit code after Ctrl-C, as shells define it. */
const INTERRUPTED = 130;

/** The program and the leading arguments by which this command can be started again for a job. */
type Program = readonly [string, ...string[]];

const thisProgram = (): Program => [process.execPath, ...process.execArgv, process.argv[1]];

/**
 * @param program the command that starts a job's process, without the job's own arguments
 * @returns undefined if sweeper and launcher are Hydra's basic ones, which @bowyer/config runs
 * @throws {ConfigError} before anything is started
 */
export async function launchSweep(
  request: SweepRequest,
  program: Program = thisProgram(),
): Promise<SweepOutcome | undefined> {
  const sweeper = request.master.setting('sweeper') as SweeperConfig | undefined;
  if (sweeper?.kind === 'wandb') return makeWandbSweep(request, sweeper);
  const sweep = await planJobs(request);
  if (sweep === null) return undefined;
  if (request.dryRun) return listed(request, sweep);
  if (sweep.launcher.kind === 'kubernetes') return writeKubernetes(request, sweep);
  return sweep.launcher.kind === 'basic' ? runHere(request, sweep) : runApart(request, sweep, program);
}

/** Prints the jobs that would be started, for `--dry-run`. */
function listed(request: SweepRequest, { jobs, compositions, warnings }: PlannedSweep): SweepOutcome {
  for (const warning of warnings) request.announce(warning);
  for (const { number, overrides, directory } of jobs)
    request.listJob(number, overrides, directory, compositions[number]);
  return { exitCode: 0 };
}

/**
 * Runs randomly drawn jobs one after another in this process, as Hydra's basic launcher does; a failed job does not stop the
 * others.
 */
async function runHere(request: SweepRequest, { jobs, compositions, warnings }: PlannedSweep): Promise<SweepOutcome> {
  request.writeMaster();
  for (const warning of warnings) request.announce(warning);
  request.announce(`Launching ${jobs.length} jobs locally`);
  let failed = false;
  for (const job of jobs) {
    request.announce(`\t${jobLabel(job).replace(' ', ' : ')}`);
    failed = (await request.runJob(job.number, compositions[job.number])).failed || failed;
  }
  for (const line of await compareJobs(request.directory)) request.announce(line);
  return { exitCode: failed ? 1 : 0 };
}

/** Runs the jobs as separate processes, on this machine or on a cluster. */
async function runApart(request: SweepRequest, sweep: PlannedSweep, program: Program): Promise<SweepOutcome> {
  const slurm = sweep.launcher.kind === 'slurm' ? await openSlurm(request.program.env, sweep.launcher) : null;
  return owningFolder(request.directory, 'sweep', request.announce, async () => {
    const options = { resume: sweep.launcher.resume ?? false, followsSlurm: slurm !== null };
    const found = await readMarkers(sweep.jobs, options);
    const markers = new Map(found.flatMap((marker, number) => (marker === null ? [] : [[number, marker] as const])));
    return runClaimed(request, sweep, { program, slurm, markers });
  });
}

interface Start {
  program: Program;
  slurm: OpenedSlurm | null;
  markers: ReadonlyMap<number, JobMarker>;
}

async function runClaimed(request: SweepRequest, sweep: PlannedSweep, start: Start): Promise<SweepOutcome> {
  const { jobs, launcher: settings, asha, warnings } = sweep;
  const { markers } = start;
  const output = await sweepOutput(request.program, terminalSettings(request));
  const list = jobList(jobs, markers);
  const halving = asha && new AshaSource(jobs, markers, asha);
  const recorded = recording(halving ?? list);
  request.writeMaster();

  const atOnce = settings.kind === 'slurm' ? (settings.array_parallelism ?? jobs.length) : (settings.jobs ?? 1);
  const board = new JobBoard(output, halving ? null : list.left);
  const before = markers.size > 0 ? ` (${jobs.length - list.left} finished before)` : '';
  for (const warning of warnings) board.say(warning);
  board.say(`${jobs.length} jobs, ${atOnce} at once, in ${request.directory}${before}`);
  const launcher = makeLauncher(request, sweep, start, { source: recorded, board, atOnce });
  await runWatched(launcher, board);
  return summarised(request, sweep, { launcher, halving, outcomes: recorded.outcomes, markers });
}

type Launcher = LocalLauncher | SlurmLauncher;

function makeLauncher(
  request: SweepRequest,
  { jobs, launcher: settings, asha }: PlannedSweep,
  { program, slurm, markers }: Start,
  { source, board, atOnce }: { source: JobSource; board: JobBoard; atOnce: number },
): Launcher {
  const { env, cwd } = request.program;
  const common = {
    source,
    commandOf: ({ job, resource }: JobStart): [string, ...string[]] => {
      const grown = resource ? [`${resource.key}=${resource.amount}`] : [];
      const overrides = [...job.overrides, ...grown, ...plainOutput(request)];
      return [...program, ...request.jobArguments(job.number, overrides, job.directory)];
    },
    cwd,
    metrics: settings.metrics ?? [],
    requiredMetric: asha?.metric,
    board,
    shown: variedOverrides(jobs),
    markers,
  };
  if (slurm === null) return new LocalLauncher({ ...common, jobs: atOnce, env });
  return new SlurmLauncher({ ...common, ...slurm, config: settings, directory: request.directory });
}

interface Ended {
  launcher: Launcher;
  halving: AshaSource | null;
  outcomes: ReadonlyMap<number, JobOutcome>;
  markers: ReadonlyMap<number, JobMarker>;
}

/** Writes the table of the sweep's jobs to the terminal and to a file, and prints the next steps. */
async function summarised(request: SweepRequest, sweep: PlannedSweep, ended: Ended): Promise<SweepOutcome> {
  const { jobs, launcher: settings, asha } = sweep;
  const { launcher, halving, outcomes, markers } = ended;
  const columns = [...new Set([...(asha ? [asha.resourceKey, asha.metric] : []), ...(settings.metrics ?? [])])];
  const rows = await summaryRows(sweep, outcomes, markers, columns);
  const csv = await writeSummary(request.directory, rows, columns);
  const failed = rows.filter(({ outcome }) => outcome?.status === 'failed').length;
  const comparison = await compareJobs(request.directory);
  const lines = ['', summaryText(rows, columns, request.directory), '', ...comparison, `table: ${csv}`];
  if (halving && asha) lines.push(...bestLine(halving, asha.metric, jobs));
  if (launcher instanceof SlurmLauncher && launcher.arraysLeft.length > 0)
    lines.push(
      'the jobs stay in Slurm; to follow them again:',
      `  ${resumeCommand(request)}`,
      'to end them:',
      `  scancel ${launcher.arraysLeft.join(' ')}`,
    );
  else if (launcher.interrupted) lines.push('stopped; to resume:', `  ${resumeCommand(request)}`);
  else if (failed > 0)
    lines.push(`${failed} of ${jobs.length} jobs failed; to start only these again:`, `  ${resumeCommand(request)}`);
  const output = await sweepOutput(request.program, terminalSettings(request));
  if (output.report) output.report({ event: 'sweep', table: csv, failed, interrupted: launcher.interrupted });
  else request.program.stdout.write(`${lines.join('\n')}\n`);
  return { exitCode: launcher.interrupted ? INTERRUPTED : failed > 0 ? 1 : 0 };
}

const terminalSettings = ({ master }: SweepRequest) => ({
  quiet: master.setting('quiet'),
  json: master.setting('json'),
});

/**
 * Returns the overrides for the output of a job's process. Jobs always print lines, whatever the sweep itself shows, because a
 * job whose launcher has died ends when it prints its next line.
 */
function plainOutput(request: SweepRequest): string[] {
  const { quiet, json } = terminalSettings(request);
  return [...(quiet === true ? ['quiet=false'] : []), ...(json === true ? ['json=false'] : [])];
}

function bestLine(source: AshaSource, metric: string, jobs: readonly SweepJob[]): string[] {
  const best = source.best();
  if (best === null) return [];
  const { job, resource, value } = best;
  const label = jobLabel(job, variedOverrides(jobs));
  return [`best: ${label} with ${metric} ${figure(value)} at ${resource.key}=${resource.amount}`];
}

/** Runs all jobs, and passes Ctrl-C and other stop signals on to the launcher. */
async function runWatched(launcher: Launcher, board: JobBoard): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const interrupt = () => launcher.interrupt();
  for (const signal of signals) process.on(signal, interrupt);
  try {
    await launcher.run();
  } finally {
    board.close();
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** Wraps a source of jobs so that it also records the last outcome of each job. */
function recording(source: JobSource): JobSource & { outcomes: Map<number, JobOutcome> } {
  const outcomes = new Map<number, JobOutcome>();
  return {
    outcomes,
    next: () => source.next(),
    report(start: JobStart, outcome: JobOutcome) {
      outcomes.set(start.job.number, outcome);
      source.report(start, outcome);
    },
  };
}

/** Returns the status of every job, whether it ran now or when the sweep was started before. */
async function summaryRows(
  { jobs, asha }: PlannedSweep,
  outcomes: ReadonlyMap<number, JobOutcome>,
  markers: ReadonlyMap<number, JobMarker>,
  columns: readonly string[],
): Promise<SummaryRow[]> {
  return Promise.all(
    jobs.map(async (job) => {
      const marker = markers.get(job.number);
      const outcome = outcomes.get(job.number);
      if (outcome || !marker) return { job, outcome: outcome ?? null };
      const metrics = await readJobMetrics(job.directory, columns);
      if (asha) metrics[asha.resourceKey] = marker.rungs.at(-1)?.resource ?? null;
      const { status, note, seconds } = marker;
      return { job, outcome: { status: status === 'started' ? 'stopped' : status, note, seconds, metrics } };
    }),
  );
}

function resumeCommand({ program, directory }: SweepRequest): string {
  const typed = program.argv.filter((word) => !/^\+{0,2}(launcher\.resume|hydra\.sweep\.dir)=/.test(word));
  return [program.programName, ...typed, 'launcher.resume=true', `hydra.sweep.dir=${directory}`]
    .map(shellQuoted)
    .join(' ');
}
