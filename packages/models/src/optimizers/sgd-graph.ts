// Builds the step of stochastic gradient descent as a graph, for parameters that are on a GPU; sgd-kernel.ts has the same formulas.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import { clipGraph } from './gradient-clip.js';
import type { SgdArgs } from './sgd-kernel.js';
import { updatedInGroups, type NamedValues } from './tensor-groups.js';

export function sgdGraph(g: GraphBuilder, { states, args }: GraphKernelContext): GraphKernelResult {
  const numbers = args as Record<keyof SgdArgs, Value>;
  const { finite, scale, zero, results } = clipGraph(g, states.g, numbers);
  // If the gradients are not finite, the step has zero gradients and scalars with which it changes nothing. Selecting scalars is
  // cheaper than selecting between old and new tensors.
  const unless = (name: keyof SgdArgs, x: number) => g.where(finite, numbers[name], x);
  const [l2, momentum, lr] = [unless('l2', 0), unless('momentum', 1), unless('lr', 0)];
  const [gradientRate, bufferRate] = [g.mul(lr, numbers.gradientShare), g.mul(lr, numbers.bufferShare)];
  const { p, g: gradients, b } = states;
  const hasBuffers = Object.keys(b).length > 0;
  const roles: Record<string, NamedValues> = { p, g: gradients, ...(hasBuffers && { b }) };
  const updated = updatedInGroups(g, roles, (old): Record<string, Value> => {
    const gradient = g.add(g.mul(g.where(finite, old.g, 0), scale), g.mul(old.p, l2));
    const zeros = g.expand(zero, old.p.shape);
    if (!hasBuffers) return { p: g.sub(old.p, g.mul(gradient, g.add(gradientRate, bufferRate))), g: zeros };
    const buffer = g.add(g.mul(old.b, momentum), gradient);
    const change = g.add(g.mul(gradient, gradientRate), g.mul(buffer, bufferRate));
    return { p: g.sub(old.p, change), g: zeros, b: buffer };
  });
  return { states: updated, results };
}
