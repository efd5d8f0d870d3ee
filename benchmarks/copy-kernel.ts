// Copies memory in the device's worker: half of the reference for everything that is bound by memory (see measure.ts).
import type { HostKernel } from '@bowyer/graph';

let source = new Float32Array(0);
let target = new Float32Array(0);

export const copyOnce: HostKernel<never, { bytes: number }, null> = ({ args: { bytes } }) => {
  if (source.byteLength !== bytes) {
    source = new Float32Array(bytes / 4).fill(1);
    target = new Float32Array(bytes / 4).fill(2);
  }
  target.set(source);
  return null;
};
