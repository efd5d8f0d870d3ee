// One AdamW step with the moments of large tensors in 8 bits, in the device's worker: whole blocks by adamw-8bit-loops.ts,
// a ragged last one through float32 values here. The parameter sees the moments before they are rounded.
import type { KernelCall, KernelState } from '@bowyer/graph';
import type { AdamArgs } from './adam-kernel.js';
import { adamW8bitInPlace, dynamicCodes } from './adamw-8bit-loops.js';
import { dequantizePiece, quantizePiece } from './dynamic-quantization.js';
import { adamInPlace, type AdamScalars } from './elementwise-simd.js';
import { clipGradients, type StepResult } from './gradient-clip.js';

type Roles = 'p' | 'g' | 'm' | 'v' | 'firstScales' | 'secondScales';

/** `m` and `v` hold codes (uint8) where the scales have a tensor of that name, else float32 moments. */
export function adamW8bitStep({ states, args }: KernelCall<Roles, AdamArgs>): StepResult {
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  for (const name of Object.keys(states.p)) {
    if (states.firstScales[name]) stepQuantized(states, name, scalars);
    else
      adamInPlace(
        floats(states.p, name),
        floats(states.g, name),
        floats(states.m, name),
        floats(states.v, name),
        scalars,
      );
  }
  return clip;
}

const floats = (state: KernelState, name: string) => state[name].data as Float32Array;

function stepQuantized(states: Readonly<Record<Roles, KernelState>>, name: string, scalars: AdamScalars): void {
  const [p, g] = [floats(states.p, name), floats(states.g, name)];
  const first = { codes: states.m[name].data as Uint8Array, scales: floats(states.firstScales, name) };
  const second = { codes: states.v[name].data as Uint8Array, scales: floats(states.secondScales, name) };
  const begin = adamW8bitInPlace(p, g, { first, second }, scalars);
  if (begin === p.length) return;
  const maps = dynamicCodes();
  const [m, v] = [new Float32Array(p.length - begin), new Float32Array(p.length - begin)];
  dequantizePiece(first.codes, first.scales, maps.first, begin, m);
  dequantizePiece(second.codes, second.scales, maps.second, begin, v);
  adamInPlace(p.subarray(begin), g.subarray(begin), m, v, scalars);
  quantizePiece(m, maps.first, begin, first.codes, first.scales);
  quantizePiece(v, maps.second, begin, second.codes, second.scales);
}
