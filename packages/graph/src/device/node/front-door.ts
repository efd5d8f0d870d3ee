// Exports the names of this package that exist only in Node, or are different in a browser (`../web/front-door.ts`).
export { checkDevice, chooseDevice, type DeviceChoice } from './choose-device.js';
export { gpuCrossings, type GpuCrossings } from './gpu-crossings.js';
export { openOnnxFile, type OnnxSession } from './onnx-session.js';
export { webgpuAvailable } from './provider-probe.js';
