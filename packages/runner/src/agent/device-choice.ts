// Which device a run's models are on: settled before anything starts, so that what is missing is reported immediately.
import { checkDevice, chooseDevice, type DeviceOptions } from '@bowyer/graph';
import type { SharedConfig } from '../keys/keys.js';
import type { TaskContext } from '../context/task-context.js';

export type DeviceConfig = Pick<SharedConfig, 'device' | 'precision' | 'threads'>;

/** Replaces `device: auto` by what this machine has; one line of the log reports which, and why. */
export async function settleDevice(config: DeviceConfig, { log }: Pick<TaskContext, 'log'>): Promise<void> {
  if (config.device === 'auto') {
    const { device, reason } = await chooseDevice();
    log(`device=${device} (${reason})`);
    config.device = device;
  }
  await checkDevice(config.device, config.precision);
}

/** The device that a settled config names. */
export const deviceOf = ({ device, precision, threads }: DeviceConfig): DeviceOptions => ({
  device,
  precision,
  threads: threads || undefined,
});
