// Takes one AdamW step with 8-bit moments for large tensors, in the device's worker thread. The parameter is updated with the moments
// before they are rounded. adamw-8bit-graph.ts computes the same as a graph.
import type { KernelCall, KernelState } from '@bowyer/graph';
import type { AdamArgs } from './adam-kernel.js';
import { adamW8bitInPlace, type CodedMoments } from './adamw-8bit-loops.js';
import { adamInPlace } from '../wasm/elementwise-simd.js';
import { clipGradients, type OptimizerStep } from './gradient-clip.js';
import { blockLength } from './moment-codes.js';

/**
 * Names the tensors of a step: parameters p, gradients g, moments m and v, and the scales of the moments' codes. A tensor of `m`
 * or `v` contains 8-bit codes (int32 words) if the scales have a tensor of the same name, else float32 moments.
 */
export type AdamW8bitRoles = 'p' | 'g' | 'm' | 'v' | 'firstScales' | 'secondScales';

export function adamW8bitStep({ states, args }: KernelCall<AdamW8bitRoles, AdamArgs>): OptimizerStep {
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  for (const name of Object.keys(states.p)) {
    const [p, g] = [floats(states.p, name), floats(states.g, name)];
    if (states.firstScales[name]) {
      const first = { words: states.m[name].data, scales: floats(states.firstScales, name) };
      const second = { words: states.v[name].data, scales: floats(states.secondScales, name) };
      inBlocks(p, g, first, second, (...arrays) => adamW8bitInPlace(...arrays, scalars));
    } else {
      adamInPlace(p, g, floats(states.m, name), floats(states.v, name), scalars);
    }
  }
  return clip;
}

const floats = (state: KernelState, name: string) => state[name].data as Float32Array;

type Arrays = [p: Float32Array, g: Float32Array, first: CodedMoments, second: CodedMoments];

/** Calls `run` on complete blocks in place, and on a zero-padded copy of an incomplete last one. Codes fill whole blocks. */
function inBlocks(...[p, g, first, second, run]: [...Arrays, run: (...arrays: Arrays) => void]): void {
  const blocks = Math.floor(p.length / blockLength);
  const whole = blocks * blockLength;
  const moments = ({ words, scales }: CodedMoments, from: number, to: number) => ({
    words: (words as Int32Array).subarray((from * blockLength) / 4, (to * blockLength) / 4),
    scales: scales.subarray(from, to),
  });
  run(p.subarray(0, whole), g.subarray(0, whole), moments(first, 0, blocks), moments(second, 0, blocks));
  if (whole === p.length) return;
  const [lastP, lastG] = [new Float32Array(blockLength), new Float32Array(blockLength)];
  lastP.set(p.subarray(whole));
  lastG.set(g.subarray(whole));
  run(lastP, lastG, moments(first, blocks, blocks + 1), moments(second, blocks, blocks + 1));
  p.set(lastP.subarray(0, p.length - whole), whole);
  g.fill(0, whole);
}
