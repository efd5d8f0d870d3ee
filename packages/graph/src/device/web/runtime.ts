// Loads one of ONNX Runtime's two builds for browsers: one with WebGPU, and one without, which is half as large. A thread loads only one
// of them, since one build cannot use the tensors of the other.
import type { DeviceKind } from '../protocol.js';
import { DeviceError } from '../../errors.js';

export type Runtime = Pick<typeof import('onnxruntime-web'), 'env' | 'InferenceSession' | 'Tensor'>;

let chosen: { kind: DeviceKind; runtime: Promise<Runtime> } | undefined;

/** Loads the build for a device. @throws DeviceError if this thread has a device of another kind */
export function chooseRuntime(kind: DeviceKind): Promise<Runtime> {
  chosen ??= { kind, runtime: kind === 'webgpu' ? import('onnxruntime-web/webgpu') : import('onnxruntime-web/wasm') };
  if (chosen.kind !== kind)
    throw new DeviceError(`this page has a device '${chosen.kind}' already; one '${kind}' needs a worker of its own`);
  return chosen.runtime;
}

/** Returns the build that was loaded. Modules that use it must be imported after a device has been opened. */
export function chosenRuntime(): Promise<Runtime> {
  if (!chosen) throw new DeviceError('no device was opened in this page');
  return chosen.runtime;
}
