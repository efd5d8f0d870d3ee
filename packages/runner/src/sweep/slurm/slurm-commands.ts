// Calls Slurm's commands and parses their output.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigError } from '@bowyer/config';

const execute = promisify(execFile);

/** An array task that waits or runs, or that ended so recently that Slurm's controller still knows it (MinJobAge). */
export interface QueuedTask {
  /** The state as squeue writes it: PENDING, RUNNING, COMPLETED, TIMEOUT, … */
  state: string;
  /** The reason why the task waits: Resources, Priority, …; None if it does not wait. */
  reason: string;
}

interface CommandFailure {
  code?: string | number;
  stderr?: string;
  message: string;
}

const ACCOUNTING_COLUMNS = 'JobID,Partition,State,ExitCode,Elapsed,TotalCPU,MaxRSS,NodeList,Start,End';

/** @param env of the commands; it has SLURM_CONF if the cluster's config file is not at its default path */
export class SlurmCommands {
  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** The largest index is one less. @throws {ConfigError} if Slurm is not installed, or if its controller does not answer */
  async maxArraySize(): Promise<number> {
    const text = await this.#run('scontrol', ['show', 'config']).catch((error: CommandFailure) => {
      throw unavailable('scontrol', error);
    });
    await this.#run('sbatch', ['--version']).catch((error: CommandFailure) => {
      throw unavailable('sbatch', error);
    });
    return Number(/^MaxArraySize\s*=\s*(\d+)/m.exec(text)?.[1] ?? 1001);
  }

  /** Returns the id of the job array. */
  async submit(scriptPath: string, options: readonly string[] = []): Promise<string> {
    const text = await this.#run('sbatch', ['--parsable', ...options, scriptPath]).catch((error: CommandFailure) => {
      throw new ConfigError('sweep', `sbatch refuses ${scriptPath}: ${spoken(error)}`, [
        'change the resources that it names: launcher.partition, launcher.timeout_min, launcher.mem_gb, …',
      ]);
    });
    return text.trim().split(';')[0];
  }

  /** Returns the tasks in the queue by their ids, such as `12_3`. A task that ended more than MinJobAge ago is absent. */
  async queue(arrays: readonly string[]): Promise<Map<string, QueuedTask>> {
    const format = '--format=%i|%T|%r';
    const args = ['--noheader', '--array', '--states=all', `--jobs=${arrays.join(',')}`, format];
    const text = await this.#run('squeue', args).catch((error: CommandFailure) => {
      // This error means that all of the arrays ended more than MinJobAge ago, so that Slurm no longer knows them.
      if (/Invalid job id/.test(error.stderr ?? '')) return '';
      throw error;
    });
    const lines = text.split('\n').map((line) => line.split('|'));
    return new Map(lines.flatMap(([id, state, reason]) => (state ? [[id.trim(), { state, reason }] as const] : [])));
  }

  /** From Slurm's accounting database, such as `TIMEOUT`; null without accounting, or without a record of the task. */
  async accountedState(task: string): Promise<string | null> {
    const args = ['--noheader', '--allocations', '--parsable2', '--format=State', `--jobs=${task}`];
    const text = await this.#run('sacct', args).catch(() => '');
    return text.trim().split('\n').at(-1)?.split(' ')[0] || null;
  }

  /** A printable table with a line for each time that a task was started; null without accounting. */
  async accounting(arrays: readonly string[]): Promise<string | null> {
    const args = ['--duplicates', '--parsable2', `--format=${ACCOUNTING_COLUMNS}`, `--jobs=${arrays.join(',')}`];
    const text = await this.#run('sacct', args).catch(() => '');
    return text.trim().includes('\n') ? text : null;
  }

  async #run(program: string, args: readonly string[]): Promise<string> {
    const { stdout } = await execute(program, args, { env: { ...this.env }, maxBuffer: 1 << 26 });
    return stdout;
  }
}

const spoken = ({ stderr, message }: CommandFailure) =>
  (stderr?.trim() || message).replaceAll(/^\w+: error: /gm, '').replaceAll('\n', '; ');

function unavailable(program: string, error: CommandFailure): ConfigError {
  if (error.code === 'ENOENT') {
    return new ConfigError('sweep', `launcher=slurm needs Slurm's commands, and '${program}' is not found`, [
      'start the sweep on a machine of the cluster from which sbatch works',
      'without Slurm: launcher=local',
    ]);
  }
  return new ConfigError('sweep', `Slurm's controller does not answer: ${spoken(error)}`, [
    'look at sinfo; SLURM_CONF names the configuration file where it is not at its usual place',
    'without Slurm: launcher=local',
  ]);
}
