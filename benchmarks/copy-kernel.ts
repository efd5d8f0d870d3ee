// Copies memory in the device's worker while `copyRate` of measure.ts copies on the main thread. Together they measure the
// machine's memory bandwidth, to which memory-bound work is compared.
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
