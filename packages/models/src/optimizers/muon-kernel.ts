// Takes one step of Muon over all parameters, in the device's worker thread: clips, updates, and sets gradients to zero. The matrix
// products are computed by a compiled graph (muon-matrix.ts).
import type { KernelCall } from '@bowyer/graph';
import { adamInPlace } from '../wasm/elementwise-simd.js';
import type { AdamArgs } from './adam-kernel.js';
import { clipGradients, type OptimizerStep } from './gradient-clip.js';
import { isTall, matrixNumbers, sizeScaleOf } from './muon-matrix.js';

/** The scalars of a step; those of AdamW apply to parameters that are not matrices of linear layers. */
export interface MuonArgs extends AdamArgs {
  lr: number;
  momentum: number;
  /** The factor of the gradient in the update: 1 with Nesterov momentum, else 0. */
  gradientShare: number;
  /** The factor of the momentum buffer in the update: μ with Nesterov momentum, else 1. */
  bufferShare: number;
}

/**
 * Updates matrices by Muon with momentum b:
 *
 *     b ← μ b + g
 *     p ← p · (1 − lr · λ) − lr · 0.2 √(longer side) · orthogonalized(gradientShare · g + bufferShare · b)
 *
 * with g clipped to a global norm first; other parameters are updated by AdamW with the same learning rate. Source: Jordan et al.
 * 2024, Muon; torch.optim.Muon with `adjust_lr_fn="match_rms_adamw"`.
 */
export async function muonStep({
  states,
  programs,
  args,
}: KernelCall<'p' | 'g' | 'm' | 'v' | 'b', MuonArgs, 'wide' | 'tall'>): Promise<OptimizerStep> {
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  const shared = { ...scalars, scale: scalars.gradientScale };
  for (const [name, { dims, data }] of Object.entries(states.p)) {
    const [p, gradient] = [data, states.g[name].data] as Float32Array[];
    if (states.b[name]) {
      const { new_p, new_b } = await programs[isTall(dims) ? 'tall' : 'wide'].run({
        inputs: inputsOf({ ...shared, length: args.lr * sizeScaleOf(dims) }),
        views: { p: ['p', name, dims], g: ['g', name, dims], b: ['b', name, dims] },
      });
      p.set(new_p.data as Float32Array);
      (states.b[name].data as Float32Array).set(new_b.data as Float32Array);
      gradient.fill(0);
    } else adamInPlace(p, gradient, states.m[name].data as Float32Array, states.v[name].data as Float32Array, scalars);
  }
  return clip;
}

const inputsOf = (numbers: Record<(typeof matrixNumbers)[number], number>) =>
  Object.fromEntries(matrixNumbers.map((name) => [name, { dims: [], data: Float32Array.of(numbers[name]) }]));
