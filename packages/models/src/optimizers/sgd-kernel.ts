// Takes one step of stochastic gradient descent over all parameters, in the device's worker thread: clips, updates momentum and
// parameters, and sets gradients to zero. sgd-graph.ts computes the same as a graph.
import type { KernelCall } from '@bowyer/graph';
import { sgdInPlace, type SgdScalars } from '../wasm/elementwise-simd.js';
import { clipGradients, type ClipArgs, type OptimizerStep } from './gradient-clip.js';

export type SgdArgs = ClipArgs & Pick<SgdScalars, 'l2' | 'momentum' | 'lr' | 'gradientShare' | 'bufferShare'>;

/**
 * Updates parameters by stochastic gradient descent:
 *
 *     g ← g + λ p,   b ← μ b + g
 *     p ← p − lr · (gradientShare · g + bufferShare · b)
 *
 * with g clipped to a global norm first. Like `torch.optim.SGD` without dampening: the shares are 0 and 1, or with Nesterov momentum 1
 * and μ. Its first step sets b = g, which also follows from a buffer of zeros.
 */
export function sgdStep({ states, args }: KernelCall<'p' | 'g' | 'b', SgdArgs>): OptimizerStep {
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  for (const name of Object.keys(states.p)) {
    const buffer = states.b[name]?.data ?? null; // without momentum there are no buffers
    sgdInPlace(
      states.p[name].data as Float32Array,
      states.g[name].data as Float32Array,
      buffer as Float32Array | null,
      scalars,
    );
  }
  return clip;
}
