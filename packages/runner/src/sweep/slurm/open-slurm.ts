// Checks for launcher=slurm that Slurm is installed and that its options are allowed, before anything is written or submitted.
import { ConfigError } from '@bowyer/config';
import type { LauncherConfig } from '../../keys/sweep-schema.js';
import { refusedParameters } from './batch-script.js';
import { SlurmCommands } from './slurm-commands.js';

export interface OpenedSlurm {
  slurm: SlurmCommands;
  /** The number that limits the indices of a job array: the largest index is one less. */
  maxArraySize: number;
}

/** Throws ConfigError if Slurm is not installed, or for options that the launcher sets itself. */
export async function openSlurm(
  env: Readonly<Record<string, string | undefined>>,
  config: LauncherConfig,
): Promise<OpenedSlurm> {
  const [refused] = refusedParameters(config);
  if (refused !== undefined) {
    throw new ConfigError('sweep', `launcher.additional_parameters.${refused} is set by the launcher itself`, [
      'leave it out; docs/slurm.md lists the keys of launcher=slurm and their options of sbatch',
    ]);
  }
  const { timeout_min: minutes = null, signal_delay_s: delay = 0 } = config;
  if (minutes !== null && delay >= minutes * 60) {
    throw new ConfigError(
      'sweep',
      `launcher.signal_delay_s (${delay} s) is not below launcher.timeout_min (${minutes} min)`,
      ['every job would be asked to stop as soon as it starts; raise timeout_min, or lower signal_delay_s'],
    );
  }
  const slurm = new SlurmCommands(env);
  return { slurm, maxArraySize: await slurm.maxArraySize() };
}
