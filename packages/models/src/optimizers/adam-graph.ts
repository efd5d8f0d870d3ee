// The optimizer step as a graph, for parameters that live on a GPU: the same formulas as adam-kernel.ts, line by line.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import type { AdamArgs } from './adam-kernel.js';
import { clipGraph } from './gradient-clip.js';

export function adamGraph(g: GraphBuilder, { states, args }: GraphKernelContext): GraphKernelResult {
  const scalars = args as Record<keyof AdamArgs, Value>;
  const names = Object.keys(states.p);
  const { finite, scale, results } = clipGraph(g, states.g, scalars);

  const updated: Record<'p' | 'g' | 'm' | 'v', Record<string, Value>> = { p: {}, g: {}, m: {}, v: {} };
  for (const name of names) {
    const old = { p: states.p[name], g: states.g[name], m: states.m[name], v: states.v[name] };
    const stepped = adamUpdate(g, old, scale, scalars);
    for (const role of ['p', 'm', 'v'] as const) updated[role][name] = g.where(finite, stepped[role], old[role]);
    updated.g[name] = g.zeros(old.p.shape);
  }
  return { states: updated, results };
}

/** New parameter and moments of tensors of one shape. @param scale factor on the gradient */
export function adamUpdate(
  g: GraphBuilder,
  { p, g: summed, m, v }: Record<'p' | 'g' | 'm' | 'v', Value>,
  scale: Value,
  scalars: Record<keyof AdamArgs, Value>,
): Record<'p' | 'm' | 'v', Value> {
  const gradient = g.add(g.mul(summed, scale), g.mul(p, scalars.l2));
  const newM = g.add(g.mul(m, scalars.beta1), g.mul(gradient, scalars.oneMinusBeta1));
  const newV = g.add(g.mul(v, scalars.beta2), g.mul(g.square(gradient), scalars.oneMinusBeta2));
  const denominator = g.add(g.mul(g.sqrt(newV), scalars.secondMomentScale), scalars.eps);
  return { p: g.sub(g.mul(p, scalars.keep), g.div(g.mul(newM, scalars.stepSize), denominator)), m: newM, v: newV };
}

/** x̄ ← (1 − τ) x̄ + τ x for every parameter. */
export function polyakGraph(
  g: GraphBuilder,
  { states: { target, online }, args: { tau } }: GraphKernelContext,
): GraphKernelResult {
  const blend = (name: string) => g.add(g.mul(target[name], g.sub(1, tau)), g.mul(online[name], tau));
  return { states: { target: Object.fromEntries(Object.keys(target).map((name) => [name, blend(name)])) } };
}
