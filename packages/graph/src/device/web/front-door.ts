// The exports that this package has in a browser alone, or with another meaning in Node (`../node/front-door.ts`).
import { DeviceError } from '../../errors.js';

export { registerKernels } from './kernels.js';
export { checkDevice, chooseDevice } from './platform.js';

/** Refuses an ONNX file: the check of an exported file needs Node. */
export function openOnnxFile(path: string): Promise<never> {
  return Promise.reject(new DeviceError(`a page does not open ONNX files: ${path}; check the export in Node`));
}
