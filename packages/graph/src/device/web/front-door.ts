// Exports the names of this package that exist only in a browser, or are different in Node (`../node/front-door.ts`).
import { DeviceError } from '../../errors.js';

export { registerKernels } from './kernels.js';
export { checkDevice, chooseDevice } from './platform.js';

/** Rejects with an error: a page cannot open an exported .onnx file; exports are checked in Node. */
export function openOnnxFile(path: string): Promise<never> {
  return Promise.reject(new DeviceError(`a page does not open ONNX files: ${path}; check the export in Node`));
}
