// Writes the script of a job array: its #SBATCH lines, the command of each task, and its reaction to signals.
import { shellQuoted } from '@bowyer/core';
import type { SlurmConfig } from '../../keys/sweep-schema.js';
import { EVENTS_FILE } from './slurm-events.js';

/** The exit code of a run that wrote a checkpoint because it was asked to stop: EX_TEMPFAIL of sysexits.h. */
export const STOPPED_EXIT_CODE = 75;

interface ArrayTask {
  /** Absolute folder of the job. */
  directory: string;
  command: readonly string[];
}

/** The option of sbatch for each key that has one. */
const OPTIONS = {
  name: 'job-name',
  nodes: 'nodes',
  tasks_per_node: 'ntasks-per-node',
  cpus_per_task: 'cpus-per-task',
  gpus_per_node: 'gpus-per-node',
  gpus_per_task: 'gpus-per-task',
  cpus_per_gpu: 'cpus-per-gpu',
  mem_per_cpu: 'mem-per-cpu',
  mem_per_gpu: 'mem-per-gpu',
  gres: 'gres',
  partition: 'partition',
  qos: 'qos',
  account: 'account',
  comment: 'comment',
  constraint: 'constraint',
  exclude: 'exclude',
} as const satisfies Partial<Record<keyof SlurmConfig, string>>;

/** Options that the launcher sets itself. */
const RESERVED = [
  'array',
  'output',
  'error',
  'open-mode',
  'requeue',
  'no-requeue',
  'signal',
  'chdir',
  'parsable',
  'dependency',
  'wrap',
];

/**
 * Lists the options that a config must not give in `additional_parameters`.
 *
 * @returns options in `additional_parameters` that the launcher sets itself, or that have separate keys
 */
export function refusedParameters({ additional_parameters: given = {} }: SlurmConfig): string[] {
  const own: readonly string[] = [...RESERVED, ...Object.values(OPTIONS), 'time', 'mem'];
  return Object.keys(given).filter((option) => own.includes(option));
}

/**
 * Writes the script of an array.
 *
 * @param tasks by index in the array
 * @param log pattern of Slurm's own log, for errors before a job's log is open
 */
export function batchScript(
  tasks: readonly ArrayTask[],
  config: SlurmConfig,
  { cwd, log }: { cwd: string; log: string },
): string {
  const { cpus_per_task: cpus = null, srun_args: own = [] } = config;
  // Since Slurm 22.05 srun does not inherit the number of cores from sbatch.
  const srun = ['srun', '--kill-on-bad-exit=1', ...(cpus === null ? [] : [`--cpus-per-task=${cpus}`]), ...own];
  return [
    '#!/bin/bash',
    ...directives(tasks.length, config, { cwd, log }).map((line) => `#SBATCH ${line}`),
    '',
    'case $SLURM_ARRAY_TASK_ID in',
    ...tasks.map(
      ({ directory, command }, index) =>
        `${index}) directory=${shellQuoted(directory)} command=(${command.map(shellQuoted).join(' ')}) ;;`,
    ),
    'esac',
    variables(config),
    BEGINNING,
    ...(config.setup ?? []),
    HEADING,
    `${srun.map(shellQuoted).join(' ')} sh -c ': >"$0" && exec "$@"' "$begun" "\${command[@]}" &`,
    ENDING,
  ].join('\n');
}

function directives(count: number, config: SlurmConfig, { cwd, log }: { cwd: string; log: string }): string[] {
  const {
    array_parallelism: atOnce,
    timeout_min: minutes = null,
    mem_gb: gigabytes = null,
    signal_delay_s: delay = 0,
  } = config;
  const texts: Record<string, string | number | boolean | null | undefined> = {
    array: `0-${count - 1}${atOnce === undefined ? '' : `%${atOnce}`}`,
    output: log,
    chdir: cwd,
    'open-mode': 'append',
    requeue: true,
    signal: delay > 0 ? `B:USR2@${delay}` : null,
    time: minutes === null ? null : timeLimit(minutes),
    mem: gigabytes === null ? null : `${Math.ceil(gigabytes * 1024)}M`,
    ...Object.fromEntries(
      Object.entries(OPTIONS).map(([key, option]) => [option, config[key as keyof typeof OPTIONS]]),
    ),
    ...config.additional_parameters,
  };
  return Object.entries(texts).flatMap(([option, value]) => {
    if (value === null || value === undefined || value === false) return [];
    return value === true ? [`--${option}`] : [`--${option}=${directiveValue(String(value))}`];
  });
}

/** Writes `minutes:seconds`, as sbatch reads it. */
function timeLimit(minutes: number): string {
  const seconds = Math.ceil(minutes * 60);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Quotes a value: sbatch reads quotes in its lines as a shell does, without expansions. */
const directiveValue = (text: string) =>
  /^[^\s"'\\]+$/.test(text) ? text : `"${text.replaceAll(/(["\\])/g, '\\$1')}"`;

function variables({
  max_num_timeout: restarts = 0,
  timeout_min: minutes = null,
  signal_delay_s: delay = 0,
}: SlurmConfig) {
  // A preemption may send the same signal (preempt_send_user_signal). More than a minute before the time limit, it counts as a
  // preemption.
  const limit = minutes === null ? 0 : Math.max(Math.floor(minutes * 60) - delay - 60, 0);
  return [
    `max_timeouts=${restarts}`,
    `limit_seconds=${limit}`,
    `export BOWYER_STOPPED_EXIT_CODE=${STOPPED_EXIT_CODE}`,
  ].join('\n');
}

// The task's name is used instead of $SLURM_JOB_ID, which for an array's last task is the array's number, by which scontrol would
// requeue all tasks.
const BEGINNING = `task=\${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
mkdir -p "$directory" || exit 1
exec >>"$directory/job.log" 2>&1
note() { # EVENT CODE
  printf '{"time":%(%s)T,"task":"%s","restarts":%d,"nodes":"%s","event":"%s","code":%s}\\n' -1 \\
    "$task" "\${SLURM_RESTART_COUNT:-0}" "$SLURM_JOB_NODELIST" "$1" "$2" >>"$directory/${EVENTS_FILE}"
}
stop=''
# Before the time limit: only this shell gets the signal, and passes it on to the job's processes.
at_user_signal() {
  interrupted=1
  if [ "$SECONDS" -ge "$limit_seconds" ]; then stop=timeout; else stop=preempted; fi
  note "$stop" null
  scancel --signal=TERM "$task"
}
trap at_user_signal USR2
# scancel and scontrol requeue signal this shell too; a preemption with a grace time signals the job's processes alone.
trap 'interrupted=1 stop=cancelled' TERM
note started null`;

/** The beginning of this start in a job's log. Some versions of srun (22.05) exit with 0 if no node could start the step. */
const HEADING = `printf '# %s\\n' "\${command[*]@Q}"
begun=$directory/.begun
rm -f "$begun"`;

const ENDING = `child=$!
code=''
until [ -n "$code" ]; do
  interrupted=''
  wait "$child"
  status=$?
  # A wait that a signal ends has not seen the job's end.
  if [ -z "$interrupted" ] || [ "$status" -le 128 ]; then code=$status; fi
done
if [ "$code" = 0 ] && [ ! -e "$begun" ]; then
  echo 'srun ended with exit code 0, but started no process'
  code=1
fi
rm -f "$begun"
if [ "$code" = 0 ] || { [ -z "$stop" ] && [ "$code" != ${STOPPED_EXIT_CODE} ] && [ "$code" != 143 ]; }; then
  note ended "$code"
  exit "$code"
fi
# The job left because it was asked to.
timeouts=$(grep -F '"event":"timeout"' "$directory/${EVENTS_FILE}" | grep -cF "\\"$task\\"")
if [ "$stop" = cancelled ]; then
  note cancelled null
elif [ "$stop" = timeout ] && [ "$timeouts" -gt "$max_timeouts" ]; then
  note 'out of time' null
elif scontrol requeue "$task"; then
  note requeued null
  sleep 60 & wait $! # Slurm ends this shell
else
  note cancelled null
fi
exit ${STOPPED_EXIT_CODE}
`;
