// Takes one step of Adam or AdamW over all parameters, in the device's worker thread: clips, updates, and sets gradients to zero.
// adam-graph.ts computes the same as a graph.
import type { KernelCall } from '@bowyer/graph';
import { adamInPlace, type AdamScalars } from '../wasm/elementwise-simd.js';
import { clipGradients, type ClipArgs, type OptimizerStep } from './gradient-clip.js';

export interface AdamArgs extends ClipArgs, AdamScalars {
  /** Whether weight decay is decoupled (AdamW). Then `l2`, the factor of Adam's L2 penalty, is 0; otherwise `keep` is 1. */
  decoupled: boolean;
}

/**
 * Updates parameters by Adam:
 *
 *     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
 *     p ← p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
 *
 * with g clipped to a global norm first. Source: Kingma & Ba 2015 (arXiv:1412.6980), algorithm 1; decoupled decay:
 * Loshchilov & Hutter 2019 (arXiv:1711.05101). As in PyTorch, ε is added to the corrected root.
 */
export function adamStep({ states, args }: KernelCall<'p' | 'g' | 'm' | 'v', AdamArgs>): OptimizerStep {
  const arrayOf = (role: 'p' | 'g' | 'm' | 'v', name: string) => states[role][name].data as Float32Array;
  const clip = clipGradients(states.g, args);
  if (!Number.isFinite(clip.gradientNorm)) return clip;
  const scalars = { ...args, gradientScale: args.gradientScale * clip.clipCoefficient };
  for (const name of Object.keys(states.p)) {
    adamInPlace(arrayOf('p', name), arrayOf('g', name), arrayOf('m', name), arrayOf('v', name), scalars);
  }
  return clip;
}
