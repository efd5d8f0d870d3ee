// One optimizer step over all parameters, in the device's worker: norm of the gradients, clip, Adam or AdamW, gradients to zero.
import type { KernelCall } from '@bowyer/graph';
import { adamInPlace, sumOfSquares } from './elementwise-simd.js';

export interface AdamArgs {
  lr: number;
  /** The step's number, from 1: for the bias correction. */
  step: number;
  betas: readonly [number, number];
  eps: number;
  weightDecay: number;
  /** AdamW: decay shrinks the parameter itself. Adam: it is an L2 penalty, added to the gradient. */
  decoupled: boolean;
  maxGradNorm: number;
  gradientScale: number;
  foreignNorm: number;
}

export interface AdamResult {
  /** Norm of all gradients together, times `gradientScale`, before the clip. */
  gradientNorm: number;
  /** What the clip multiplied the gradients by; 0 if they were not finite, and then nothing was changed. */
  clipCoefficient: number;
}

/** torch.nn.utils.clip_grad_norm_ adds it to the norm. */
const clipEpsilon = 1e-6;

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
  const [beta1, beta2] = args.betas;
  const scalars = {
    gradientScale: args.gradientScale * clipCoefficient,
    beta1,
    beta2,
    stepSize: args.lr / (1 - beta1 ** args.step),
    secondMomentScale: 1 / Math.sqrt(1 - beta2 ** args.step),
    eps: args.eps,
    l2: args.decoupled ? 0 : args.weightDecay,
    keep: args.decoupled ? 1 - args.lr * args.weightDecay : 1,
  };
  for (const name of names) {
    adamInPlace(arrayOf('p', name), arrayOf('g', name), arrayOf('m', name), arrayOf('v', name), scalars);
  }
  return { gradientNorm, clipCoefficient };
}
