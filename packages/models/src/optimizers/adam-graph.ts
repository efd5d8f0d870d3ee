// Builds the step of Adam as a graph, for parameters that are on a GPU; adam-kernel.ts has the same formulas.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import type { AdamArgs } from './adam-kernel.js';
import { clipGraph, type GraphClip } from './gradient-clip.js';
import { updatedInGroups, type NamedValues } from './tensor-groups.js';

export type AdamNumbers = Record<Exclude<keyof AdamArgs, 'decoupled'>, Value>;

export function adamGraph(g: GraphBuilder, { states, args, constants }: GraphKernelContext): GraphKernelResult {
  const numbers = args as AdamNumbers;
  const clip = clipGraph(g, states.g, numbers);
  const { p, g: gradients, m, v } = states;
  const updated = adamUpdates(g, { p, g: gradients, m, v }, clip, numbers, constants.decoupled === true);
  return { states: updated, results: clip.results };
}

/** Computes new parameters p, moments m and v, and gradients g = 0. If the gradients are not finite, p, m and v do not change. */
export function adamUpdates(
  g: GraphBuilder,
  states: Readonly<Record<'p' | 'g' | 'm' | 'v', NamedValues>>,
  { finite, scale, zero }: GraphClip,
  numbers: AdamNumbers,
  decoupled: boolean,
): Record<'p' | 'g' | 'm' | 'v', Record<string, Value>> {
  // If the gradients are not finite, the step has zero gradients and scalars with which it changes nothing (β = 1, learning rate
  // 0). Selecting scalars is cheaper than selecting between old and new tensors.
  const unless = (name: keyof AdamNumbers, x: number) => g.where(finite, numbers[name], x);
  const still = { beta1: unless('beta1', 1), beta2: unless('beta2', 1), keep: unless('keep', 1), l2: unless('l2', 0) };
  const chosen = { ...numbers, ...still, stepSize: unless('stepSize', 0), eps: unless('eps', 1) };
  const updated = updatedInGroups(g, states, (old) => ({
    ...adamUpdate(g, { ...old, g: g.where(finite, old.g, 0) }, scale, chosen, decoupled),
    g: g.expand(zero, old.p.shape),
  }));
  return Object.keys(states.p).length > 0 ? updated : { p: {}, g: {}, m: {}, v: {} };
}

/**
 * Computes the new parameter and moments of tensors with the same shape.
 *
 *     p ← keep · p − stepSize / c · m / (√v + ε / c)   with c = 1 / √(1 − β₂ᵗ)
 *
 * @param scale the factor of the gradient
 * @param decoupled whether weight decay is decoupled, so that `l2` is 0; otherwise `keep` is 1
 */
export function adamUpdate(
  g: GraphBuilder,
  { p, g: summed, m, v }: Record<'p' | 'g' | 'm' | 'v', Value>,
  scale: Value,
  { beta1, beta2, oneMinusBeta1, oneMinusBeta2, stepSize, secondMomentScale, eps, l2, keep }: AdamNumbers,
  decoupled: boolean,
): Record<'p' | 'm' | 'v', Value> {
  // Scalars are multiplied with each other first, since each product with a tensor is a pass over the GPU's memory.
  const gradient = decoupled ? summed : g.add(g.mul(summed, scale), g.mul(p, l2));
  const share = (x: Value) => (decoupled ? g.mul(scale, x) : x);
  const newM = g.add(g.mul(m, beta1), g.mul(gradient, share(oneMinusBeta1)));
  const newV = g.add(g.mul(v, beta2), g.square(g.mul(gradient, share(g.sqrt(oneMinusBeta2)))));
  const direction = g.div(newM, g.add(g.sqrt(newV), g.div(eps, secondMomentScale)));
  const change = g.mul(direction, g.div(stepSize, secondMomentScale));
  return { p: g.sub(decoupled ? g.mul(p, keep) : p, change), m: newM, v: newV };
}

/** Builds Polyak averaging, x̄ ← (1 − τ) x̄ + τ x, for every parameter. */
export function polyakGraph(
  g: GraphBuilder,
  { states: { target, online }, args: { tau } }: GraphKernelContext,
): GraphKernelResult {
  const blended = updatedInGroups(g, { target, online }, (old) => ({
    target: g.add(g.mul(old.target, g.sub(1, tau)), g.mul(old.online, tau)),
  }));
  return { states: blended };
}
