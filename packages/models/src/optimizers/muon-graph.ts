// Builds Muon's step for all parameters as one graph, for parameters that are on a GPU.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import { adamUpdates, type AdamNumbers } from './adam-graph.js';
import { clipGraph } from './gradient-clip.js';
import type { MuonArgs } from './muon-kernel.js';
import { isTall, matrixUpdate, sizeScaleOf } from './muon-matrix.js';
import { picked } from './tensor-groups.js';

type MuonNumbers = AdamNumbers & Record<Exclude<keyof MuonArgs, 'decoupled'>, Value>;

export function muonGraph(g: GraphBuilder, { states, args }: GraphKernelContext): GraphKernelResult {
  const numbers = args as MuonNumbers;
  const clip = clipGraph(g, states.g, numbers);
  const { finite, scale, zero, results } = clip;
  const others = Object.keys(states.m);
  const { m, v } = states;
  const roles = { p: picked(states.p, others), g: picked(states.g, others), m, v };
  const updated: Record<string, Record<string, Value>> = {
    ...adamUpdates(g, roles, clip, numbers, true),
    b: {},
  };
  for (const [name, b] of Object.entries(states.b)) {
    const old: Record<'p' | 'g' | 'b', Value> = { p: states.p[name], g: states.g[name], b };
    const dims = old.p.shape as number[];
    const length = g.mul(numbers.lr, sizeScaleOf(dims));
    const stepped = matrixUpdate(g, old, { ...numbers, scale, length }, isTall(dims));
    for (const role of ['p', 'b'] as const) updated[role][name] = g.where(finite, stepped[role], old[role]);
    updated.g[name] = g.expand(zero, dims);
  }
  return { states: updated, results };
}
