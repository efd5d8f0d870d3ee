// One Adam or AdamW step over all parameters, in the device's worker: clip, update, gradients to zero.
// The same as a graph is in adam-graph.ts.
import type { KernelCall } from '@bowyer/graph';
import { adamInPlace } from './elementwise-simd.js';
import { clipGradients, type ClipArgs, type StepResult } from './gradient-clip.js';

export interface AdamArgs extends ClipArgs {
  beta1: number;
  beta2: number;
  // The differences and corrections come from float64: 1 − 0.999 in float32 is off by 5 · 10⁻⁵ of itself.
  oneMinusBeta1: number;
  oneMinusBeta2: number;
  /** lr / (1 − β₁ᵗ) */
  stepSize: number;
  /** 1 / √(1 − β₂ᵗ) */
  secondMomentScale: number;
  eps: number;
  /** Adam's weight decay: added to the gradient times the parameter. */
  l2: number;
  /** AdamW's: the parameter is multiplied by 1 − lr · decay. */
  keep: number;
}

/**
 *     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
 *     p ← p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
 *
 * with g clipped to a global norm first. Source: Kingma & Ba 2015 (arXiv:1412.6980), algorithm 1; decoupled decay:
 * Loshchilov & Hutter 2019 (arXiv:1711.05101). As in PyTorch, ε is added to the corrected root.
 */
export function adamStep({ states, args }: KernelCall<'p' | 'g' | 'm' | 'v', AdamArgs>): StepResult {
  const arrayOf = (role: 'p' | 'g' | 'm' | 'v', name: string) => states[role][name].data as Float32Array;
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  for (const name of Object.keys(states.p)) {
    adamInPlace(arrayOf('p', name), arrayOf('g', name), arrayOf('m', name), arrayOf('v', name), scalars);
  }
  return clip;
}
