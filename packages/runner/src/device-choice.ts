// Which device a run's models are on: settled before anything starts, so that what is missing is said at once.
import { checkDevice, chooseDevice, type DeviceOptions } from '@bowyer/graph';
import type { RunConfig } from './run-config.js';
import type { TaskContext } from './tasks/task.js';

/** The tasks that run models by themselves. */
const withModels: readonly RunConfig['task'][] = ['train', 'evaluate', 'score', 'generate', 'serve_model'];

/** The config with `device: auto` replaced by what this machine has; one line of the log says what, and why. */
export async function withDevice(config: RunConfig, { log }: Pick<TaskContext, 'log'>): Promise<RunConfig> {
  if (!withModels.includes(config.task)) return config;
  if (config.device !== 'auto') {
    await checkDevice(config.device, config.precision);
    return config;
  }
  const { device, reason } = await chooseDevice();
  log(`device=${device} (${reason})`);
  await checkDevice(device, config.precision);
  return { ...config, device };
}

/** The device that a settled config names. */
export const deviceOf = ({ device, precision, threads }: RunConfig): DeviceOptions => ({
  device,
  precision,
  threads: threads || undefined,
});
