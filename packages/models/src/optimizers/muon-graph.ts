// Muon's step of all parameters as one graph, where they live on a GPU.
import type { GraphBuilder, GraphKernelContext, GraphKernelResult, Value } from '@bowyer/graph';
import { adamUpdate } from './adam-graph.js';
import { clipGraph } from './gradient-clip.js';
import type { MuonArgs } from './muon-kernel.js';
import { isTall, matrixUpdate, sizeScaleOf } from './muon-matrix.js';

export function muonGraph(g: GraphBuilder, { states, args }: GraphKernelContext): GraphKernelResult {
  const scalars = args as Record<keyof MuonArgs, Value>;
  const { finite, scale, results } = clipGraph(g, states.g, scalars);
  const updated: Record<string, Record<string, Value>> = { p: {}, g: {}, m: {}, v: {}, b: {} };
  for (const [name, p] of Object.entries(states.p)) {
    const old: Record<string, Value> = { p };
    for (const role of ['g', 'm', 'v', 'b']) if (states[role][name]) old[role] = states[role][name];
    const dims = p.shape as number[];
    const length = g.mul(scalars.lr, sizeScaleOf(dims));
    const stepped: Record<string, Value> = old.b
      ? matrixUpdate(g, { p, g: old.g, b: old.b }, { ...scalars, scale, length }, isTall(dims))
      : adamUpdate(g, { p, g: old.g, m: old.m, v: old.v }, scale, scalars);
    for (const [role, value] of Object.entries(stepped)) updated[role][name] = g.where(finite, value, old[role]);
    updated.g[name] = g.zeros(p.shape);
  }
  return { states: updated, results };
}
