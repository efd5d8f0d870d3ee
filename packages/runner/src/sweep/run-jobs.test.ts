import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@bowyer/testing';
import { AshaSource } from './asha-source.js';
import { JobBoard } from './job-board.js';
import { jobList } from './job-list.js';
import { readMarkers, type JobMarker } from './job-marker.js';
import { LocalLauncher, type LocalLauncherOptions } from './run-jobs.js';
import type { JobOutcome, JobSource, SweepJob } from './sweep-job.js';

const child = fileURLToPath(new URL('./test-program/child.mjs', import.meta.url));

let directory: string;
beforeEach(() => (directory = newFolder()));

const makeJobs = (...points: string[][]): SweepJob[] =>
  points.map((overrides, number) => ({ number, overrides, directory: join(directory, String(number)) }));

const markersOf = async (jobs: readonly SweepJob[]) =>
  new Map((await readMarkers(jobs, { resume: true })).flatMap((marker, i) => (marker ? [[i, marker] as const] : [])));

/** Runs jobs of the test program child.mjs. `during` is called with the launcher when it has started the jobs. */
async function runAll(
  jobs: readonly SweepJob[],
  options: Partial<LocalLauncherOptions> & { makeSource?: (markers: Map<number, JobMarker>) => JobSource } = {},
  during: (launcher: LocalLauncher) => Promise<void> = async () => {},
) {
  const markers = await markersOf(jobs);
  const source = options.makeSource?.(markers) ?? jobList(jobs, markers);
  const outcomes: [number, JobOutcome][] = [];
  let output = '';
  const launcher = new LocalLauncher({
    jobs: 2,
    commandOf: ({ job, resource }) => [
      process.execPath,
      child,
      `hydra.run.dir=${job.directory}`,
      ...job.overrides,
      ...(resource ? [`${resource.key}=${resource.amount}`] : []),
    ],
    cwd: directory,
    env: process.env,
    metrics: ['test/episodic_return'],
    board: new JobBoard({ write: (text) => (output += text) }, jobs.length, () => 0),
    shown: () => true,
    markers,
    ...options,
    source: {
      next: () => source.next(),
      report(start, outcome) {
        outcomes.push([start.job.number, outcome]);
        source.report(start, outcome);
      },
    },
  });
  await Promise.all([launcher.run(), during(launcher)]);
  return { outcomes: new Map(outcomes), order: outcomes.map(([number]) => number), output };
}

const textOf = (job: SweepJob, file: string) => readFile(join(job.directory, file), 'utf8').catch(() => null);

/**
 * Waits until a file in a job's folder contains the text, for at most a hundred seconds, so that a failing test leaves no process
 * running.
 */
async function appears(job: SweepJob, file: string, text: string): Promise<void> {
  for (let tries = 0; tries < 10_000; tries++) {
    if ((await textOf(job, file))?.includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until a job of the test program that has the option `hold` is waiting. */
const holding = (job: SweepJob) => appears(job, 'holding', '');

test('jobs run at the same time, each with its figures, its log and its marker', async () => {
  const meet = `meet=${join(directory, 'meeting')}`;
  const jobs = makeJobs(['x=1', meet, 'guests=2'], ['x=2', meet, 'guests=2']);
  // Each job waits until the other one has started, so that they end only if they run at the same time.
  const { outcomes } = await runAll(jobs);
  for (const job of jobs) {
    expect(outcomes.get(job.number)).toMatchObject({
      status: 'finished',
      note: '',
      metrics: { 'test/episodic_return': job.number + 1 },
    });
    expect(await textOf(job, 'job.log')).toBe(
      `# ${process.execPath} ${child} hydra.run.dir=${job.directory} ${job.overrides.join(' ')}\njob with x=${job.number + 1}\n`,
    );
    expect(JSON.parse((await textOf(job, 'sweep-job.json'))!)).toMatchObject({
      overrides: job.overrides,
      status: 'finished',
    });
  }
});

test('never more jobs at once than asked for', async () => {
  let [atWork, most] = [0, 0];
  const jobs = makeJobs(['x=1'], ['x=2'], ['x=3'], ['x=4'], ['x=5']);
  const list = jobList(jobs, new Map());
  const counted: JobSource = {
    next() {
      const start = list.next();
      if (start) most = Math.max(most, ++atWork);
      return start;
    },
    report: () => void atWork--,
  };
  await runAll(jobs, { jobs: 2, makeSource: () => counted });
  expect(most).toBe(2);
});

test('a failed job stops no other, and the last lines of its output are shown', async () => {
  const jobs = makeJobs(['x=1', 'fail=true'], ['x=2'], ['x=3']);
  const { outcomes, output } = await runAll(jobs, { jobs: 1 });
  expect([...outcomes.values()].map(({ status, note }) => [status, note])).toEqual([
    ['failed', 'exit code 3'],
    ['finished', ''],
    ['finished', ''],
  ]);
  expect(output.replaceAll(/after \d+s/g, 'after 0s')).toBe(
    [
      '#0 x=1 fail=true: started',
      '#0 x=1 fail=true: failed after 0s, exit code 3',
      '  job with x=1',
      '  Error: nothing works here',
      `  whole log: ${jobs[0].directory}/job.log`,
      '#1 x=2: started',
      '#1 x=2: finished after 0s, test/episodic_return 2',
      '#2 x=3: started',
      '#2 x=3: finished after 0s, test/episodic_return 3',
      '',
    ].join('\n'),
  );
});

test('a missing program fails its job', async () => {
  const { outcomes } = await runAll(makeJobs(['x=1']), { commandOf: () => ['/nowhere/program'] });
  expect(outcomes.get(0)).toMatchObject({
    status: 'failed',
    note: 'could not be started: spawn /nowhere/program ENOENT',
  });
});

test('a job whose log cannot be written fails', async () => {
  const [job] = makeJobs(['x=1']);
  await mkdir(join(job.directory, 'job.log'), { recursive: true });
  const { outcomes } = await runAll([job], {
    commandOf: () => [process.execPath, '-e', 'setInterval(() => {}, 1000)'],
  });
  expect(outcomes.get(0)?.note).toMatch(/^its log cannot be written: EISDIR/);
});

test('at the second interrupt jobs that have not ended are killed', async () => {
  const stubborn = 'process.on("SIGINT", () => console.log("no")); console.log("up"); setInterval(() => {}, 1000)';
  const [job] = makeJobs(['x=1']);
  const { outcomes } = await runAll(
    [job],
    { commandOf: () => [process.execPath, '-e', stubborn] },
    async (launcher) => {
      await appears(job, 'job.log', '\nup\n');
      launcher.interrupt();
      await appears(job, 'job.log', '\nno\n');
      launcher.interrupt();
    },
  );
  expect(outcomes.get(0)?.status).toBe('stopped');
});

describe('successive halving', () => {
  const options = {
    metric: 'eval/episodic_return',
    direction: 'maximize',
    resourceKey: 'iterations',
    rungs: [1, 2, 4],
    reductionFactor: 2,
  } as const;
  const halving = (jobs: readonly SweepJob[]) => ({
    jobs: 1,
    requiredMetric: options.metric,
    makeSource: (markers: Map<number, JobMarker>) => new AshaSource(jobs, markers, options),
  });

  test('interrupted and started again, it resumes', async () => {
    const release = join(directory, 'release');
    const jobs = makeJobs(['x=1'], ['x=2'], ['x=3', `hold=${release}`], ['x=4']);
    await runAll(jobs, halving(jobs), async (launcher) => {
      await holding(jobs[2]);
      launcher.interrupt();
    });
    await writeFile(release, '');
    const { order } = await runAll(jobs, halving(jobs));
    expect(order).toEqual([2, 2, 2, 3, 3, 3]);
    expect(await textOf(jobs[3], 'starts')).toBe('0..1\n1..2\n2..4\n');
  });

  test('a job without the metric counts as failed', async () => {
    const jobs = makeJobs(['x=abc']);
    const { outcomes } = await runAll(jobs, halving(jobs));
    expect(outcomes.get(0)?.note).toBe(
      "neither results.json nor metrics.jsonl has a finite 'eval/episodic_return', which sweeper.metric asks for",
    );
  });

  test('other resources in the same folders are refused', async () => {
    const jobs = makeJobs(['x=1']);
    await runAll(jobs, halving(jobs));
    const markers = await markersOf(jobs);
    expect(() => new AshaSource(jobs, markers, { ...options, rungs: [3, 6] })).toThrow(
      `job #0 was compared at other resources (1) than this sweep now has (3, 6)\n  in ${jobs[0].directory}\n` +
        '  keep sweeper.min_resource, max_resource and reduction_factor, or start a new sweep: hydra.sweep.dir=FOLDER',
    );
  });
});

describe('folders in use are refused before anything starts', () => {
  test('a job with other overrides', async () => {
    await runAll(makeJobs(['x=1']));
    await expect(readMarkers(makeJobs(['x=2']), { resume: true })).rejects.toThrow(
      `the folder of job #0, '${directory}/0', contains a job with other overrides:\n  there: x=1\n  now:   x=2\n` +
        '  to resume that sweep give the same overrides in the same order; for a new one: hydra.sweep.dir=FOLDER',
    );
  });

  test('any job, without resume', async () => {
    const jobs = makeJobs(['x=1'], ['x=2']);
    await runAll(jobs.slice(0, 1));
    await expect(readMarkers(jobs, { resume: false })).rejects.toThrow(
      `1 of the sweep's 2 jobs were started before, the first in ${directory}/0\n` +
        '  to resume it and leave out what is finished: launcher.resume=true\n' +
        '  for a new sweep choose another folder: hydra.sweep.dir=FOLDER',
    );
  });

  test('a marker that no sweep wrote', async () => {
    const jobs = makeJobs(['x=1']);
    await mkdir(jobs[0].directory);
    await writeFile(join(jobs[0].directory, 'sweep-job.json'), '{"over');
    await expect(readMarkers(jobs, { resume: true })).rejects.toThrow(
      `${directory}/0/sweep-job.json was not written by a sweep: it is not JSON\n` +
        `  delete the folder '${directory}/0' to start its job again`,
    );
  });
});
