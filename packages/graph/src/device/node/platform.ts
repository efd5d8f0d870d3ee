// Exports the parts of a device that depend on the platform, here Node with threads, native libraries and files. For browsers, the
// `browser` field of package.json replaces this file by `../web/platform.ts`.
import { onnxRuntimePath } from './onnx-runtime.js';

export { availableParallelism } from 'node:os';
export { checkDevice, chooseDevice } from './choose-device.js';
export { ModelFiles } from './model-files.js';
export { kernelModule } from './source-modules.js';
export { startWorker } from './start-worker.js';

/** Throws a DeviceError if ONNX Runtime is not installed. */
export function checkRuntime(): void {
  onnxRuntimePath();
}
