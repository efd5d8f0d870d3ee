// Chooses the device on which a run's models compute, before anything starts, so that a missing device is reported immediately.
import { checkDevice, chooseDevice, type DeviceOptions } from '@bowyer/graph';
import type { NodePart } from '../keys/agent-keys.js';
import type { Reporting } from '../../context/task-context.js';

export type DeviceConfig = NodePart<'device', 'kind' | 'precision' | 'gpuBuffers' | 'threads'>;

/** Replaces `device.kind=auto` by the best device of this machine, and logs the device and the reason. */
export async function settleDevice({ device: own }: DeviceConfig, { log }: Pick<Reporting, 'log'>): Promise<void> {
  if (own.kind === 'auto') {
    const { device, reason } = await chooseDevice();
    log(`device.kind=${device} (${reason})`);
    own.kind = device;
  }
  await checkDevice(own.kind, own.precision, own.gpuBuffers);
}

/** Returns the options of the config node `device` as @bowyer/graph takes them. `auto` must have been replaced. */
export const deviceOf = ({ device: { kind, precision, gpuBuffers, threads } }: DeviceConfig): DeviceOptions => ({
  device: kind,
  precision,
  gpuBuffers,
  threads: threads || undefined,
});
