// Compares a graph's gradients with central differences of a loss in float64 loops.
import { Rng } from '@bowyer/core';
import type { HostTensors } from '@bowyer/checkpoints';
import type { Device, State } from '@bowyer/graph';

/** Copies tensors to float64, so that differences of losses are exact enough. */
export const inFloat64 = (tensors: HostTensors): HostTensors =>
  Object.fromEntries(
    Object.entries(tensors).map(([name, { shape, data }]) => [name, { shape, data: Float64Array.from(data) }]),
  ) as unknown as HostTensors;

/**
 * Compares three elements of every parameter's gradient. They are enough to find a tensor that the loss ignores.
 *
 * @param weights of `inFloat64`
 */
export async function expectCentralDifferences(
  device: Device,
  gradients: readonly State[],
  weights: HostTensors,
  lossOf: (weights: HostTensors) => number,
  tolerance = 2e-3,
): Promise<void> {
  const rng = new Rng(7);
  for (const state of gradients)
    for (const [name, { data }] of Object.entries(await device.read(state)))
      for (let sample = 0; sample < 3; sample++) {
        const i = rng.integer(0, data.length - 1);
        const own = weights[name].data;
        const at = own[i];
        const lossAt = (x: number) => {
          own[i] = x;
          return lossOf(weights);
        };
        const slope = (lossAt(at + 1e-5) - lossAt(at - 1e-5)) / 2e-5;
        own[i] = at;
        expect(Math.abs(Number(data[i]) - slope)).toBeLessThan(tolerance * Math.max(1, Math.abs(slope)));
      }
}
