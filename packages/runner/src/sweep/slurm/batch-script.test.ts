// Tests the text of the batch script, and runs it with bash and replacements of Slurm's commands.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newFolder } from '@bowyer/testing';
import type { SlurmConfig } from '../../keys/sweep-schema.js';
import { batchScript, refusedParameters } from './batch-script.js';
import { readSlurmEvents } from './slurm-events.js';

const fakes = fileURLToPath(new URL('../test-program/fake-slurm', import.meta.url));
const place = { cwd: '/home/me', log: '/sweep/slurm/%A_%a.log' };

const directives = (config: SlurmConfig) =>
  batchScript([{ directory: '/sweep/0', command: ['true'] }], config, place)
    .split('\n')
    .filter((line) => line.startsWith('#SBATCH'))
    .map((line) => line.slice('#SBATCH --'.length));

test('every resource is the option of sbatch that submitit gives it', () => {
  const config = {
    timeout_min: 90.5,
    nodes: 2,
    tasks_per_node: 4,
    cpus_per_task: 8,
    gpus_per_node: 4,
    mem_gb: 32,
    partition: 'gpu',
    qos: 'low',
    account: 'lab',
    comment: 'a "b" c',
    constraint: 'v100|a100',
    exclude: 'node[7-9]',
    name: 'sweep',
    array_parallelism: 3,
    signal_delay_s: 120,
    additional_parameters: { exclusive: true, nice: 100, hold: false },
  } satisfies SlurmConfig;
  expect(directives(config)).toEqual([
    'array=0-0%3',
    'output=/sweep/slurm/%A_%a.log',
    'chdir=/home/me',
    'open-mode=append',
    'requeue',
    'signal=B:USR2@120',
    'time=90:30',
    'mem=32768M',
    'job-name=sweep',
    'nodes=2',
    'ntasks-per-node=4',
    'cpus-per-task=8',
    'gpus-per-node=4',
    'partition=gpu',
    'qos=low',
    'account=lab',
    'comment="a \\"b\\" c"',
    'constraint=v100|a100',
    'exclude=node[7-9]',
    'exclusive',
    'nice=100',
  ]);
});

test('options that are null or absent are left to the cluster', () => {
  const short = ['array=0-0', 'output=/sweep/slurm/%A_%a.log', 'chdir=/home/me', 'open-mode=append', 'requeue'];
  expect(directives({ partition: null, mem_gb: null, timeout_min: null })).toEqual(short);
});

test('an option that the launcher sets itself is refused', () => {
  expect(refusedParameters({ additional_parameters: { exclusive: true, array: '0-9', mem: '1G' } })).toEqual([
    'array',
    'mem',
  ]);
});

let folder: string;
beforeEach(() => (folder = newFolder()));

/**
 * A job that ends as a run does when it is asked to stop. It writes its process id to a temporary file and renames it, since an
 * empty file would be read as id 0.
 */
const WAITING =
  'trap "exit 75" TERM; echo $$ >"$FAKE_SLURM/new"; mv "$FAKE_SLURM/new" "$FAKE_SLURM/child"; while :; do sleep 0.02; done';

/** Runs task 0 of a job array, and sends a signal to the shell of the batch script when the job has started. */
async function run(shell: string, config: SlurmConfig, signal?: NodeJS.Signals) {
  const tasks = [{ directory: join(folder, "it's 0"), command: ['bash', '-c', shell] }];
  await writeFile(join(folder, 'script'), batchScript(tasks, config, place));
  const env = { ...process.env, FAKE_SRUN: shell, PATH: `${fakes}:${process.env.PATH}`, FAKE_SLURM: folder };
  const slurm = { SLURM_ARRAY_JOB_ID: '12', SLURM_ARRAY_TASK_ID: '0', SLURM_JOB_NODELIST: 'n[1-2]' };
  const child = spawn('bash', [join(folder, 'script')], { env: { ...env, ...slurm }, detached: true });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  if (signal) {
    while (!existsSync(join(folder, 'child'))) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill(signal);
    // After it has requeued its task, the shell waits until Slurm ends it, which the test does instead.
    while (signal === 'SIGUSR2' && child.exitCode === null && !existsSync(join(folder, 'requeued')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    if (signal === 'SIGUSR2' && existsSync(join(folder, 'requeued'))) setTimeout(() => child.kill('SIGTERM'), 100);
    if (signal === 'SIGTERM') {
      let pid = 0;
      while (pid === 0) pid = Number(await readFile(join(folder, 'child'), 'utf8')); // the file is empty before the id is written
      expect(pid).toBeGreaterThan(0); // id 0 would be the process group of the tests
      process.kill(pid, signal);
    }
  }
  const code = await ended;
  const events = await readSlurmEvents(join(folder, "it's 0"));
  const log = await readFile(join(folder, "it's 0", 'job.log'), 'utf8');
  return { code, log, events: events.map(({ event, code }) => (code === null ? event : `${event} ${code}`)) };
}

test.each<[string, string, SlurmConfig, NodeJS.Signals | undefined, number, string[]]>([
  ['a job that ends', 'echo "out"', { setup: ['echo "set up"'] }, undefined, 0, ['started', 'ended 0']],
  ['a step that no node could start', 'idle', {}, undefined, 1, ['started', 'ended 1']],
  ['a job that fails', 'exit 3', {}, undefined, 3, ['started', 'ended 3']],
  [
    'a job at its time limit, which may be queued again',
    WAITING,
    { max_num_timeout: 1 },
    'SIGUSR2',
    75,
    ['started', 'timeout', 'requeued'],
  ],
  ['a job at its last time limit', WAITING, {}, 'SIGUSR2', 75, ['started', 'timeout', 'out of time']],
  [
    'a preemption announced by the same signal',
    WAITING,
    { timeout_min: 60 },
    'SIGUSR2',
    75,
    ['started', 'preempted', 'requeued'],
  ],
  ['a job that is cancelled', WAITING, {}, 'SIGTERM', 75, ['started', 'cancelled']],
])('%s', async (_, shell, config, signal, code, events) => {
  const ended = await run(shell, config, signal);
  expect(ended).toMatchObject({ code, events });
  if (config.setup) expect(ended.log).toBe(`set up\n# 'bash' '-c' 'echo "out"'\nout\n`);
});
