// Tests complete sweeps with launcher=slurm: with replacements of Slurm's commands, and with a real cluster if there is one
// (benchmarks/slurm/start.sh starts one).
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '@bowyer/config';
import { newFolder } from '@bowyer/testing';
import { launchSweep } from '../launch-sweep.js';

const programs = fileURLToPath(new URL('../test-program/', import.meta.url));
const fakes = join(programs, 'fake-slurm');

let directory: string;
beforeEach(async () => {
  directory = newFolder();
  await mkdir(join(directory, 'fake'));
});

const fake = () => ({ PATH: `${fakes}:${process.env.PATH}`, FAKE_SLURM: join(directory, 'fake') });

/** Runs a sweep with launcher=slurm in this process; its jobs run the test program child.mjs. */
async function run(args: string[], env: Record<string, string> = fake(), interruptWhen = '') {
  let [stdout, stderr] = ['', ''];
  const ended = runCommandLine({
    argv: ['-m', 'launcher=slurm', 'hydra.sweep.dir=sweep', ...args],
    programName: 'program',
    configDir: join(programs, 'configs'),
    configName: 'main',
    cwd: directory,
    env: { ...process.env, ...env },
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    launch: (request) => launchSweep(request, [process.execPath, join(programs, 'child.mjs')]),
    job: () => Promise.reject(new Error('a job in this process')),
  });
  if (interruptWhen) {
    while (!existsSync(interruptWhen)) await new Promise((resolve) => setTimeout(resolve, 10));
    process.emit('SIGINT');
  }
  const code = await ended;
  return { code, stderr, stdout: stdout.replaceAll(directory, 'HERE').replaceAll(/\d+s\b/g, '0s') };
}

const hasSlurm = spawnSync('sinfo', { timeout: 5000 }).status === 0;

test.each([['stand-ins', fake], ...(hasSlurm ? [['a cluster', () => ({})] as const] : [])] as const)(
  'results are gathered as by the local launcher, with %s',
  async (_, env) => {
    const first = await run(['x=1,2', 'fail=false,true', 'launcher.poll_seconds=0.5'], env());
    expect(first).toMatchObject({ code: 1, stderr: '' });
    expect(first.stdout).toContain('4 jobs, 2 at once, in HERE/sweep\nsubmitted 4 jobs to Slurm as array ');
    expect(first.stdout).toContain('#3 x=2 fail=True: failed after 0s, exit code 3\n  job with x=2\n');
    expect(first.stdout).toContain('  Error: nothing works here\n');
    expect(first.stdout).toContain('#2 x=2 fail=False  finished                     2    0s       2\n');
    expect(first.stdout).toContain('2 of 4 jobs failed; to start only these again:\n');
    const again = await run(['x=1,2', 'fail=false,true', 'launcher.resume=true'], env());
    expect(again.stdout).toContain('(2 finished before)\nsubmitted 2 jobs to Slurm as array ');
    expect(await readFile(join(directory, 'sweep', '0', 'starts'), 'utf8')).toBe('0..1\n');
  },
);

test('Ctrl-C leaves the jobs in Slurm; the command that is printed follows them again', async () => {
  const release = join(directory, 'release');
  const args = ['x=1,2', `hold=${release}`];
  const left = await run(args, fake(), join(directory, 'sweep', '1', 'holding'));
  expect(left).toMatchObject({ code: 130, stderr: '' });
  expect(left.stdout).toContain('#1 x=2  submitted                     –    0s       1\n');
  expect(left.stdout).toContain(
    'the jobs stay in Slurm; to follow them again:\n' +
      '  program -m launcher=slurm x=1,2 hold=HERE/release launcher.resume=true hydra.sweep.dir=HERE/sweep\n' +
      'to end them:\n  scancel 7\n',
  );
  const local = await run([...args, 'launcher=local', 'launcher.resume=true']);
  expect(local.stderr).toContain('job #0 was submitted to Slurm as 7_0\n');
  await writeFile(release, '');
  const again = await run([...args, 'launcher.resume=true']);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain('following 2 jobs submitted before\n');
  expect(again.stdout).not.toContain('submitted 1 job');
});

test('more jobs than an array may have are several arrays, one after another', async () => {
  const { code, stdout } = await run(['x=1,2,3'], { ...fake(), FAKE_MAX_ARRAY_SIZE: '2' });
  expect(code).toBe(0);
  expect(stdout).toContain('submitted 2 jobs to Slurm as array 7\nsubmitted 1 job to Slurm as array 8\n');
});

test.each<[string, string[], string, Record<string, string>?]>([
  [
    'no Slurm',
    [],
    "launcher=slurm needs Slurm's commands, and 'scontrol' is not found\n  start the sweep on a machine of the cluster from which sbatch works\n  without Slurm: launcher=local\n",
    { PATH: '/nowhere' },
  ],
  ['halving', ['sweeper=asha'], 'sweeper=asha starts a job several times, which launcher=slurm cannot do\n'],
  [
    'a key of another launcher',
    ['+launcher.jobs=2'],
    'launcher.jobs has no effect with launcher=slurm\n  leave it out, or choose launcher=local\n',
  ],
  [
    'a signal before the start',
    ['launcher.timeout_min=1'],
    'launcher.signal_delay_s (60 s) is not below launcher.timeout_min (1 min)\n',
  ],
  [
    'an option that is not free',
    ['+launcher.additional_parameters.array=0-9'],
    'launcher.additional_parameters.array is set by the launcher itself\n',
  ],
])('%s is refused and nothing is written', async (_, args, message, env = fake()) => {
  const { code, stderr, stdout } = await run(['x=1,2', ...args], env);
  expect(stderr).toContain(message);
  expect([code, stdout]).toEqual([1, '']);
  expect(existsSync(join(directory, 'sweep'))).toBe(false);
});

test("sbatch's refusal is shown with the script", async () => {
  const { code, stderr } = await run(['x=1,2', '+launcher.partition=none']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/sbatch refuses .*\/sweep\/slurm\/0-1\.sh: invalid partition specified: none\n/);
});
