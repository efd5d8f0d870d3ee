// Merges adapters into their base weights, so that the result is a plain checkpoint.
import type { HostTensors } from '@bowyer/checkpoints';
import type { AdapterLayout } from './adapter-layout.js';

/** Merges adapters into `base` [out, in], in place: W ← W + scale · B A; with magnitudes, rows are then scaled to these. */
export function mergeAdapters(base: HostTensors, adapters: HostTensors, layout: AdapterLayout): void {
  for (const { weight, a, b, magnitude, r, scale, inputs, outputs } of layout.adapters.values()) {
    const [w, left, right] = [base[weight].data, adapters[b].data, adapters[a].data];
    const row = new Float64Array(inputs);
    for (let out = 0; out < outputs; out++) {
      row.fill(0);
      for (let k = 0; k < r; k++) {
        const factor = scale * left[out * r + k];
        for (let i = 0; i < inputs; i++) row[i] += factor * right[k * inputs + i];
      }
      for (let i = 0; i < inputs; i++) row[i] += w[out * inputs + i];
      const factor = magnitude === undefined ? 1 : adapters[magnitude].data[out] / norm(row);
      for (let i = 0; i < inputs; i++) w[out * inputs + i] = factor * row[i];
    }
  }
}

const norm = (row: Float64Array): number => Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
