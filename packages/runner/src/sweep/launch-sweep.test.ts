// Tests complete sweeps through the command line, each in a separate process. Sweeps that are refused run in this process.
import { spawn } from 'node:child_process';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '@bowyer/config';
import { newFolder, sourceArguments } from '@bowyer/testing';
import { launchSweep } from './launch-sweep.js';
import { programOptions } from './test-program/options.mjs';

const program = fileURLToPath(new URL('./test-program/program.mjs', import.meta.url));

let directory: string;
beforeEach(() => (directory = newFolder()));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * Runs a sweep in a separate process.
 *
 * @param options.direct whether the jobs run the fast test program child.mjs instead of `bowyer`
 */
async function run(
  args: string[],
  { direct = true, signalWhen = '', signal = 'SIGINT' as NodeJS.Signals } = {},
): Promise<Ended> {
  const env = { ...process.env, SWEEP_TEST_DIRECT: direct ? '1' : '' };
  const command = [...sourceArguments(), program, ...args];
  const started = spawn(process.execPath, command, { cwd: directory, env });
  let [stdout, stderr] = ['', ''];
  started.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  started.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => started.on('close', resolve)).finally(() => (isOver = true));
  if (signalWhen) {
    while (!isOver && !(await exists(signalWhen))) await new Promise((resolve) => setTimeout(resolve, 10));
    started.kill(signal);
  }
  return { code: await ended, stdout, stderr };
}

/** Runs a sweep in this process. It must not start another process. */
async function runHere(argv: string[]): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  const home = process.cwd();
  process.chdir(directory);
  try {
    const code = await runCommandLine({
      ...programOptions(launchSweep),
      argv,
      stdout: { write: (text: string) => (printed.stdout += text) },
      stderr: { write: (text: string) => (printed.stderr += text) },
    });
    return { code, ...printed };
  } finally {
    process.chdir(home);
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const local = ['launcher=local', 'hydra.sweep.dir=sweep'];
const timeless = (text: string) => text.replaceAll(directory, 'HERE').replaceAll(/\d+s\b/g, '0s');
const csv = async () =>
  (await readFile(join(directory, 'sweep', 'sweep.csv'), 'utf8'))
    .replaceAll(directory, 'HERE')
    .replaceAll(/,\d+\.\d,/g, ',0.0,');

test('a failed job is in the table, and a second start runs only failed jobs', async () => {
  const args = ['-m', ...local, 'x=1,2', 'fail=false,true'];
  const first = await run(args);
  expect(first).toMatchObject({ code: 1, stderr: '' });
  expect(timeless(first.stdout)).toContain(
    '\n' +
      'job                  status  test/episodic_return  time  folder\n' +
      '─────────────────  ────────  ────────────────────  ────  ──────\n' +
      '#0 x=1 fail=False  finished                     1    0s       0\n' +
      '#1 x=1 fail=True     failed                     –    0s       1\n' +
      '#2 x=2 fail=False  finished                     2    0s       2\n' +
      '#3 x=2 fail=True     failed                     –    0s       3\n' +
      '\ntable: HERE/sweep/sweep.csv\n2 of 4 jobs failed; to start only these again:\n' +
      '  program -m launcher=local x=1,2 fail=false,true launcher.resume=true hydra.sweep.dir=HERE/sweep\n',
  );
  expect(await csv()).toBe(
    'job,overrides,status,test/episodic_return,seconds,directory,x,fail\n' +
      '0,x=1 fail=False,finished,1,0.0,HERE/sweep/0,1,False\n' +
      '1,x=1 fail=True,failed,,0.0,HERE/sweep/1,1,True\n' +
      '2,x=2 fail=False,finished,2,0.0,HERE/sweep/2,2,False\n' +
      '3,x=2 fail=True,failed,,0.0,HERE/sweep/3,2,True\n',
  );
  const again = await run([...args, 'launcher.resume=true', 'launcher.jobs=2']);
  expect(again.code).toBe(1);
  expect(again.stdout).toContain('4 jobs, 2 at once');
  expect(again.stdout).toContain('(2 finished before)');
  expect(await readFile(join(directory, 'sweep', '0', 'starts'), 'utf8')).toBe('0..1\n');
});

test('Ctrl-C ends the job at a checkpoint and prints the command that resumes it', async () => {
  const release = join(directory, 'release');
  const args = ['-m', ...local, 'x=1,2', `hold=${release}`];
  const stopped = await run(args, { signalWhen: join(directory, 'sweep', '0', 'holding') });
  expect(stopped).toMatchObject({ code: 130, stderr: '' });
  expect(timeless(stopped.stdout)).toContain(
    'stopped; to resume:\n' +
      '  program -m launcher=local x=1,2 hold=HERE/release launcher.resume=true hydra.sweep.dir=HERE/sweep\n',
  );
  expect(await csv()).toContain('1,x=2 hold=HERE/release,not started,,,HERE/sweep/1,2\n');
  await writeFile(release, '');
  expect(await run([...args, 'launcher.resume=true'])).toMatchObject({ code: 0, stderr: '' });
});

test('launcher and job are killed one after another: the same command ends with the table of an undisturbed sweep', async () => {
  const [holding, go] = [join(directory, 'sweep', '0', 'holding'), join(directory, 'go')];
  const args = ['-m', ...local, 'x=1,2', `hold='${go}'`, 'launcher.resume=true', 'launcher.jobs=1'];
  expect((await run(args, { signalWhen: holding, signal: 'SIGKILL' })).code).toBeNull();
  const pid = Number(await readFile(holding, 'utf8')); // the process of a job whose launcher was killed
  const refused = await run(args);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain(`still runs as process ${pid}`);
  process.kill(pid, 'SIGKILL');
  await writeFile(go, '');
  expect(await run(args)).toMatchObject({ code: 0, stderr: '' });
  const [header, ...rows] = (await csv())
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const column = (name: string) => rows.map((row) => row[header.indexOf(name)]);
  expect([column('status'), column('test/episodic_return')]).toEqual([
    ['finished', 'finished'],
    ['1', '2'],
  ]);
}, 180_000);

test('an experiment is a sweep; its jobs are the same program again, as single runs', async () => {
  const { code, stdout, stderr } = await run(['+experiment=two', 'hydra.sweep.dir=sweep'], { direct: false });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('2 jobs, 2 at once');
  expect(await csv()).toContain('x=5 +experiment=two,finished,5,');
  expect(await readFile(join(directory, 'sweep', '1', '.hydra', 'overrides.yaml'), 'utf8')).toBe(
    '- x=6\n- +experiment=two\n',
  );
});

test('options of batches are reported to have no effect with processes', async () => {
  const { stdout } = await runHere(['-m', '--dry-run', ...local, 'x=1', 'hydra.sweeper.max_batch_size=3']);
  expect(stdout).toContain('hydra.sweeper.max_batch_size=3 has no effect: launcher=local starts a job whenever');
});

test('random search with processes, and in this process', async () => {
  const args = ['-m', 'sweeper=random', 'sweeper.trials=2', 'x=int(interval(1,100))', 'iterations=choice(1,2)'];
  expect(await run([...args, ...local])).toMatchObject({ code: 0, stderr: '' });
  const drawn = (await csv())
    .split('\n')
    .slice(1, 3)
    .map((line) => line.split(',')[1]);
  const here = await run([...args, 'hydra.sweep.dir=here'], { direct: false });
  expect(here.code).toBe(0);
  for (const [job, overrides] of drawn.entries()) expect(here.stdout).toContain(`#${job} : ${overrides}\n`);
});

test('successive halving gives each job its resource and prints a table with resources and the best job', async () => {
  const { code, stdout, stderr } = await run(['-m', ...local, 'sweeper=asha', 'x=tag(log,interval(1,100))']);
  expect([code, stderr]).toEqual([0, '']);
  const table = (await csv())
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  expect(table[0].slice(0, 6)).toEqual([
    'job',
    'overrides',
    'status',
    'iterations',
    'eval/episodic_return',
    'test/episodic_return',
  ]);
  // How many of the four trials reach the last rung depends on the order in which jobs end. The trial that is reported as the
  // best must be the best of those.
  const last = table
    .slice(1)
    .filter((line) => line[3] === '4')
    .map((line) => ({ job: line[0], value: Number(line[4]) }));
  const best = last.reduce((a, b) => (b.value > a.value ? b : a));
  expect(stdout).toContain(`best: #${best.job} x=`);
  expect(stdout).toContain('at iterations=4\n');
});

const algorithm = ['sweeper=asha', 'x=1,2', 'sweeper.resource_key=algorithm.iterations', '+algorithm={iterations:4}'];

test.each([
  ['a job with a bad value', ['x=1,two'], "x must be a number, not 'two'\n"],
  ['a bad launcher', ['x=1,2', 'launcher.jobs=0'], 'launcher.jobs must be at least 1\n'],
  [
    'a swept launcher',
    ['x=1,2', 'launcher.jobs=1,2'],
    "'launcher.jobs' steers the sweep and cannot be swept over\n  give it one value\n",
  ],
  [
    'a shared folder',
    ['x=1,2', 'hydra.sweep.subdir=same'],
    "jobs #0 and #1 have the same folder: HERE/sweep/same\n  give each its own, such as hydra.sweep.subdir='${hydra.job.num}'\n",
  ],
  [
    'a resource that is swept',
    ['sweeper=asha', 'iterations=1,2'],
    "'iterations' is given by the sweeper, job by job (sweeper.resource_key)\n  leave out the override of iterations; its ends are sweeper.min_resource and sweeper.max_resource\n",
  ],
  [
    'resources the wrong way round',
    ['sweeper=asha', 'x=1,2', 'sweeper.min_resource=9'],
    'sweeper.min_resource (9) is above sweeper.max_resource (4)\n',
  ],
  [
    'halving without a second rung',
    ['sweeper=asha', 'x=1,2', 'sweeper.min_resource=2', 'sweeper.reduction_factor=3'],
    'no trial would be promoted: sweeper.min_resource × reduction_factor (6) is above sweeper.max_resource (4)\n',
  ],
  [
    'a rung between two evaluations',
    [...algorithm, '+algorithm.eval.freq=2'],
    'a rung ends after 1 iterations, but eval/episodic_return is measured every 2 (algorithm.eval.freq): the figure compared would be older\n',
  ],
  [
    'a rung with a frozen policy',
    [...algorithm, '+algorithm.name=archer', '+algorithm.actor.warmup_iterations=1'],
    'the first rung ends after 1 iterations, but the policy is frozen for 1 (algorithm.actor.warmup_iterations)',
  ],
  [
    'a rate that falls over the iterations',
    [
      ...algorithm,
      '+algorithm.name=archer',
      '+algorithm.actor.schedule={kind:linear,warmup_iterations:0,final_share:0.1}',
    ],
    "the policy's rate follows the number of iterations, which grows from rung to rung: a promoted trial could not be resumed\n  write algorithm.actor.schedule.kind=constant, or algorithm.actor.schedule.final_share=1\n",
  ],
  [
    'halving with the basic launcher',
    ['sweeper=asha', 'launcher=basic', 'x=1,2'],
    'sweeper=asha starts a job several times, which launcher=basic cannot do\n  add launcher=local, and launcher.jobs=N for N jobs at once\n',
  ],
])('%s is refused and nothing is written', async (_, args, message) => {
  const { code, stdout, stderr } = await runHere(['-m', ...local, ...args]);
  expect(code).toBe(1);
  expect(timeless(stderr)).toContain(message);
  expect(stdout).toBe('');
  expect(await exists(join(directory, 'sweep'))).toBe(false);
});
