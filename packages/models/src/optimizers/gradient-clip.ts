// The clip by global norm that every optimizer step begins with, on arrays and as a graph.
// The same as torch.nn.utils.clip_grad_norm_, with a scale for micro-batches and the norm of a network sharing the
// clip.
import type { GraphBuilder, KernelState, Value } from '@bowyer/graph';
import { sumOfSquares } from '../wasm/elementwise-simd.js';
import { joined, tensorGroups } from './tensor-groups.js';

/** Plain numbers only, so that one graph serves every step. */
export interface ClipArgs {
  maxGradNorm: number;
  gradientScale: number;
  othersNorm: number;
}

export interface OptimizerStep {
  /** Norm of all gradients together, times `gradientScale`, before the clip. */
  gradientNorm: number;
  /** The factor that the clip applied to the gradients; 0 if they were not finite, and then nothing was changed. */
  clipCoefficient: number;
}

/** torch.nn.utils.clip_grad_norm_ adds it to the norm. */
const clipEpsilon = 1e-6;

/** Computes the norm and the clip of all gradients. If they are not finite they are set to zero, and `clipCoefficient` is 0. */
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

/** The clip in a graph. */
export interface GraphClip {
  /** Whether the step may change anything. */
  finite: Value;
  /** Factor on every gradient; 0 where the gradients are not finite. */
  scale: Value;
  /** A scalar 0 that is computed while the graph runs: ONNX Runtime would keep the zeros made of a constant. */
  zero: Value;
  results: Record<keyof OptimizerStep, Value>;
}

/** Writes the norm and the clip of all gradients into a graph, as `clipGradients` computes them. */
export function clipGraph(
  g: GraphBuilder,
  gradients: Readonly<Record<string, Value>>,
  args: Readonly<Record<keyof ClipArgs, Value>>,
): GraphClip {
  const squares = tensorGroups(gradients)
    .map((names) => g.reduceSumSquare(joined(g, gradients, names)))
    .reduce((sum, square) => g.add(sum, square));
  const gradientNorm = g.mul(g.sqrt(squares), args.gradientScale);
  const finite = g.lessOrEqual(gradientNorm, 3e38); // of NaN it is false as well
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
