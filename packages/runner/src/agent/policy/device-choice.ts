// The device of a run's models, settled before anything starts, so that a missing one is reported immediately.
import { checkDevice, chooseDevice, type DeviceOptions } from '@bowyer/graph';
import type { AgentConfig } from '../keys/agent-keys.js';
import type { Reporting } from '../../context/task-context.js';

export type DeviceConfig = Pick<AgentConfig, 'device' | 'precision' | 'gpuBuffers' | 'threads'>;

/** Replaces `device: auto` by what this machine has; one line of the log reports which, and why. */
export async function settleDevice(config: DeviceConfig, { log }: Pick<Reporting, 'log'>): Promise<void> {
  if (config.device === 'auto') {
    const { device, reason } = await chooseDevice();
    log(`device=${device} (${reason})`);
    config.device = device;
  }
  await checkDevice(config.device, config.precision, config.gpuBuffers);
}

/** Returns the device that a settled config names. */
export const deviceOf = ({ device, precision, gpuBuffers, threads }: DeviceConfig): DeviceOptions => ({
  device,
  precision,
  gpuBuffers,
  threads: threads || undefined,
});
