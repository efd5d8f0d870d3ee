// One step of stochastic gradient descent over all parameters, in the device's worker: clip, momentum, update, gradients to
// zero. The same as a graph is in sgd-graph.ts.
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
 * with g clipped to a global norm first. As `torch.optim.SGD` without dampening: shares 0 and 1, with Nesterov's momentum
 * 1 and μ. Its first step takes b = g, which is what a buffer of zeros gives.
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
