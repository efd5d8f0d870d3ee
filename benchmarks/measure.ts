// Computes for all benchmarks medians, and the machine's own rates, measured in the same process and alternating with the
// measured work, so that a busy machine slows both alike.
import type { Device } from '@bowyer/graph';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
}

/** Measures the milliseconds of one call. */
export async function milliseconds(run: () => Promise<unknown> | void): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/**
 * Returns a function that copies `bytes` once on each of two threads at the same time and returns the rate in GB/s by the
 * definition of the STREAM benchmark: bytes read plus bytes written.
 */
export async function copyRate(device: Device, bytes = 128 << 20): Promise<() => Promise<number>> {
  const kernel = await device.loadKernel<{ bytes: number }, null>({
    module: new URL('./copy-kernel.ts', import.meta.url),
    name: 'copyOnce',
  });
  const [source, target] = [new Float32Array(bytes / 4).fill(1), new Float32Array(bytes / 4).fill(2)];
  const copyOnBoth = async () => {
    const other = kernel.call({ states: {}, args: { bytes } });
    target.set(source);
    await other;
  };
  await copyOnBoth(); // all pages are allocated now
  return async () => (2 * 2 * bytes) / (await milliseconds(copyOnBoth)) / 1e6;
}
