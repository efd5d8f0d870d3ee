// Stochastic gradient descent as a graph, for parameters that live on a GPU: the same formulas as sgd-kernel.ts, line by line.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import { clipGraph } from './gradient-clip.js';
import type { SgdArgs } from './sgd-kernel.js';

export function sgdGraph(g: GraphBuilder, { states, args }: GraphKernelContext): GraphKernelResult {
  const scalars = args as Record<keyof SgdArgs, Value>;
  const { finite, scale, results } = clipGraph(g, states.g, scalars);
  const updated: Record<'p' | 'g' | 'b', Record<string, Value>> = { p: {}, g: {}, b: {} };
  for (const [name, p] of Object.entries(states.p)) {
    const gradient = g.add(g.mul(states.g[name], scale), g.mul(p, scalars.l2));
    const buffer = states.b[name];
    const newBuffer = buffer ? g.add(g.mul(buffer, scalars.momentum), gradient) : gradient;
    const direction = g.add(g.mul(gradient, scalars.gradientShare), g.mul(newBuffer, scalars.bufferShare));
    updated.p[name] = g.where(finite, g.sub(p, g.mul(direction, scalars.lr)), p);
    if (buffer) updated.b[name] = g.where(finite, newBuffer, buffer);
    updated.g[name] = g.zeros(p.shape);
  }
  return { states: updated, results };
}
