// One optimizer step over all parameters, in the device's worker: norm of the gradients, clip, Adam or AdamW, gradients to zero.
// The same as a graph is in adam-graph.ts.
import type { KernelCall } from '@bowyer/graph';
import { adamInPlace, sumOfSquares } from './elementwise-simd.js';

/** Plain numbers only, so that one graph serves every step. */
export type AdamArgs = Record<(typeof adamArgNames)[number], number>;

export const adamArgNames = [
  'maxGradNorm',
  'gradientScale',
  'foreignNorm',
  'beta1',
  'beta2',
  // The differences and corrections come from float64: 1 − 0.999 in float32 is off by 5 · 10⁻⁵ of itself.
  'oneMinusBeta1',
  'oneMinusBeta2',
  /** lr / (1 − β₁ᵗ) */
  'stepSize',
  /** 1 / √(1 − β₂ᵗ) */
  'secondMomentScale',
  'eps',
  /** Adam's weight decay: added to the gradient times the parameter. */
  'l2',
  /** AdamW's: the parameter is multiplied by 1 − lr · decay. */
  'keep',
] as const;

export interface AdamResult {
  /** Norm of all gradients together, times `gradientScale`, before the clip. */
  gradientNorm: number;
  /** What the clip multiplied the gradients by; 0 if they were not finite, and then nothing was changed. */
  clipCoefficient: number;
}

/** torch.nn.utils.clip_grad_norm_ adds it to the norm. */
export const clipEpsilon = 1e-6;

/**
 *     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
 *     p ← p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
 *
 * with g clipped to a global norm first. Source: Kingma & Ba 2015 (arXiv:1412.6980), algorithm 1; decoupled decay:
 * Loshchilov & Hutter 2019 (arXiv:1711.05101). As in PyTorch, ε is added to the corrected root.
 */
export function adamStep({ states, args }: KernelCall<'p' | 'g' | 'm' | 'v', AdamArgs>): AdamResult {
  const names = Object.keys(states.p);
  const arrayOf = (role: 'p' | 'g' | 'm' | 'v', name: string) => states[role][name].data as Float32Array;
  let squares = 0;
  for (const name of names) squares += sumOfSquares(arrayOf('g', name));
  const gradientNorm = args.gradientScale * Math.sqrt(squares);
  if (!Number.isFinite(gradientNorm)) {
    for (const name of names) arrayOf('g', name).fill(0);
    return { gradientNorm, clipCoefficient: 0 };
  }
  const clipCoefficient = Math.min(1, args.maxGradNorm / (Math.hypot(gradientNorm, args.foreignNorm) + clipEpsilon));
  const scalars = { ...args, gradientScale: args.gradientScale * clipCoefficient };
  for (const name of names) {
    adamInPlace(arrayOf('p', name), arrayOf('g', name), arrayOf('m', name), arrayOf('v', name), scalars);
  }
  return { gradientNorm, clipCoefficient };
}
