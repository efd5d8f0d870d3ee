// Writes the batch script of a Slurm job array, which runs the jobs of a sweep: its #SBATCH lines, the command of each array
// task, and how it reacts to signals.
import { shellQuoted } from '@bowyer/core';
import type { SlurmConfig } from '../../keys/sweep-schema.js';
import { EVENTS_FILE } from './slurm-events.js';

/**
 * The exit code by which a run reports that it has written a checkpoint because it was asked to stop: EX_TEMPFAIL of sysexits.h.
 */
export const STOPPED_EXIT_CODE = 75;

interface ArrayTask {
  /** The absolute path of the job's folder. */
  directory: string;
  command: readonly string[];
}

/** For keys of the config node `launcher`, the option of sbatch that each sets. */
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

/** Options of sbatch that the launcher sets itself, so that a config cannot give them. */
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
 * Lists the options of sbatch that a config must not give in `additional_parameters`.
 *
 * @returns options in `additional_parameters` that the launcher sets itself, or that have their own config keys
 */
export function refusedParameters({ additional_parameters: given = {} }: SlurmConfig): string[] {
  const own: readonly string[] = [...RESERVED, ...Object.values(OPTIONS), 'time', 'mem'];
  return Object.keys(given).filter((option) => own.includes(option));
}

/**
 * @param tasks the commands and folders, by index in the array
 * @param log path pattern of Slurm's own log, for errors that occur before a job's log is open
 */
export function batchScript(
  tasks: readonly ArrayTask[],
  config: SlurmConfig,
  { cwd, log }: { cwd: string; log: string },
): string {
  const { cpus_per_task: cpus = null, srun_args: own = [] } = config;
  // The number of cores is passed to srun, since srun no longer inherits it from sbatch since Slurm 22.05.
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

/** Writes a time limit as `minutes:seconds`, which sbatch reads. */
function timeLimit(minutes: number): string {
  const seconds = Math.ceil(minutes * 60);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Quotes a value in an #SBATCH line: sbatch reads quotes there as a shell does, but without expansions. */
const directiveValue = (text: string) =>
  /^[^\s"'\\]+$/.test(text) ? text : `"${text.replaceAll(/(["\\])/g, '\\$1')}"`;

function variables({
  max_num_timeout: restarts = 0,
  timeout_min: minutes = null,
  signal_delay_s: delay = 0,
}: SlurmConfig) {
  // A preemption may send the same signal as an approaching time limit (preempt_send_user_signal). A signal more than a minute
  // before the requested time of the signal counts as a preemption.
  const limit = minutes === null ? 0 : Math.max(Math.floor(minutes * 60) - delay - 60, 0);
  return [
    `max_timeouts=${restarts}`,
    `limit_seconds=${limit}`,
    `export BOWYER_STOPPED_EXIT_CODE=${STOPPED_EXIT_CODE}`,
  ].join('\n');
}

// The task is named by the ids of the array and of its index, and not by $SLURM_JOB_ID: for the last task of an array, that is
// the id of the array, with which scontrol would requeue all tasks.
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

/** The file `.begun` shows whether srun has started the step: some versions (22.05) exit with 0 if no node could start it. */
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
