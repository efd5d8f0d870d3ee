// Refuses settings (float16, kinds of GPU buffers) that only WebGPU has, for other devices, in Node and in browsers.
import type { Precision } from '../dtype.js';
import { DeviceError } from '../errors.js';
import type { DeviceKind, GpuBuffers } from './protocol.js';

/** Refuses settings that only WebGPU has. @throws DeviceError with the option and what to write instead */
export function checkSettings(device: DeviceKind, precision: Precision, gpuBuffers: GpuBuffers): void {
  if (device === 'webgpu') return;
  const refuse = (option: string, usual: string, why: string): never => {
    throw new DeviceError(
      `${option}: device.kind=${device} ${why}\n  use device.kind=webgpu where there is a GPU, or ${usual}`,
    );
  };
  if (gpuBuffers === 'exact') refuse('device.gpu_buffers=exact', 'device.gpu_buffers=bucket', 'has no such buffers');
  if (precision === 'float16') refuse('device.precision=float16', 'device.precision=float32', 'computes in float32');
}
