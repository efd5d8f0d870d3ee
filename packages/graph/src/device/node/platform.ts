// The things that a device needs of the place where it runs: here Node, with threads, native libraries and files. `../web/platform.ts` is put in its
// place by package.json's `browser` field.
import { onnxRuntimePath } from './onnx-runtime.js';

export { availableParallelism } from 'node:os';
export { checkDevice, chooseDevice } from './choose-device.js';
export { ModelFiles } from './model-files.js';
export { kernelModule } from './source-modules.js';
export { startWorker } from './start-worker.js';

/** Throws a DeviceError where ONNX Runtime is not installed. */
export function checkRuntime(): void {
  onnxRuntimePath();
}
