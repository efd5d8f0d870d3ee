// Clips gradients by their global norm before each optimizer step, on arrays or in a graph, as torch.nn.utils.clip_grad_norm_
// does; in addition, gradients have a scale (for micro-batches), and two networks may share the norm.
import type { GraphBuilder, KernelState, Value } from '@bowyer/graph';
import { sumOfSquares } from '../wasm/elementwise-simd.js';
import { joined, tensorGroups } from './tensor-groups.js';

/** The scalars of clipping; they are inputs of the graph, so that one graph serves every step. */
export interface ClipArgs {
  maxGradNorm: number;
  gradientScale: number;
  othersNorm: number;
}

/** The result of an optimizer step, for metrics and for the decision whether training can continue. */
export interface OptimizerStep {
  /** The norm of all gradients together, times `gradientScale`, before clipping. */
  gradientNorm: number;
  /** The factor by which gradients were clipped; 0 if they were not finite, in which case nothing was changed. */
  clipCoefficient: number;
}

/** The number that torch.nn.utils.clip_grad_norm_ adds to the norm. */
const clipEpsilon = 1e-6;

/** Computes norm and clip coefficient of all gradients. If they are not finite, they are set to zero, and `clipCoefficient` is 0. */
export function clipGradients(gradients: KernelState, args: ClipArgs): OptimizerStep {
  const arrays = Object.values(gradients).map(({ data }) => data as Float32Array);
  const squares = arrays.reduce((sum, array) => sum + sumOfSquares(array), 0);
  const gradientNorm = args.gradientScale * Math.sqrt(squares);
  if (!Number.isFinite(gradientNorm)) {
    for (const array of arrays) array.fill(0);
    return { gradientNorm, clipCoefficient: 0 };
  }
  const jointNorm = Math.hypot(gradientNorm, args.othersNorm);
  return { gradientNorm, clipCoefficient: Math.min(1, args.maxGradNorm / (jointNorm + clipEpsilon)) };
}

export interface GraphClip {
  /** Whether all gradients are finite, so that the step may change parameters. */
  finite: Value;
  /** The factor of every gradient; 0 if the gradients are not finite. */
  scale: Value;
  /** A scalar 0 that is computed at run time, since ONNX Runtime would keep tensors of zeros made from a constant in memory. */
  zero: Value;
  results: Record<keyof OptimizerStep, Value>;
}

/** Adds norm and clip coefficient of all gradients to a graph, computed as in `clipGradients`. */
export function clipGraph(
  g: GraphBuilder,
  gradients: Readonly<Record<string, Value>>,
  args: Readonly<Record<keyof ClipArgs, Value>>,
): GraphClip {
  const squares = tensorGroups(gradients)
    .map((names) => g.reduceSumSquare(joined(g, gradients, names)))
    .reduce((sum, square) => g.add(sum, square));
  const gradientNorm = g.mul(g.sqrt(squares), args.gradientScale);
  const finite = g.lessOrEqual(gradientNorm, 3e38); // also false for NaN
  const jointNorm = g.sqrt(g.add(g.square(gradientNorm), g.square(args.othersNorm)));
  const clip = g.min(g.div(args.maxGradNorm, g.add(jointNorm, clipEpsilon)), 1);
  const clipCoefficient = g.where(finite, clip, 0);
  return {
    finite,
    scale: g.mul(args.gradientScale, clipCoefficient),
    zero: g.mul(clipCoefficient, 0),
    results: { gradientNorm, clipCoefficient },
  };
}
