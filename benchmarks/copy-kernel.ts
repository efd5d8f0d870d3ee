// This kernel copies memory in the device's worker while `copyRate` of measure.ts copies on the main thread: together they measure the
// machine's memory bandwidth, with which work that is bound by memory is compared.
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
