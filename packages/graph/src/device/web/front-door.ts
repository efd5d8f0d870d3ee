// The exports that this package has in a browser alone, or with another meaning in Node (`../node/front-door.ts`).
export { registerKernels } from './kernels.js';
export { checkDevice, chooseDevice } from './platform.js';
