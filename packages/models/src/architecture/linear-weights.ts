// Finds which parameters of an architecture are weights of linear layers, e.g. to choose those that get adapters or are
// quantised.
import { GraphBuilder, type Value } from '@bowyer/graph';
import type { CausalArchitecture, ForwardScope } from './architecture.js';

/**
 * Lists the names of the linear layers' weights, as a forward pass on a temporary graph uses them: `inside` the blocks, of
 * `experts`, of output heads with their own weight (`heads`) and with the embedding as weight (`tied`).
 */
export function linearWeights(
  architecture: CausalArchitecture,
): Record<'inside' | 'experts' | 'heads' | 'tied', string[]> {
  const g = new GraphBuilder('linear layers');
  const shapes = new Map(architecture.parameters.map(({ name, shape }) => [name, shape]));
  const inputs = new Map(architecture.parameters.map(({ name, shape }) => [name, g.input(name, 'float32', shape)]));
  const used = new Set<string>();
  const experts: string[] = [];
  let linear: string[] = [];
  const product = (x: Value, weight: string) =>
    g.gemm(x, inputs.get(weight)!, undefined, { transB: shapes.get(weight)!.length === 2 });
  const scope: ForwardScope = {
    g,
    batch: 'batch',
    tokens: 'tokens',
    parameter: (name) => {
      used.add(name);
      return inputs.get(name)!;
    },
    linear: (x, weight) => {
      linear.push(weight);
      return product(x, weight);
    },
    expertLinear: (x, weight) => {
      experts.push(weight);
      return product(x, weight);
    },
    attention: (_layer, query) => query,
    dropout: (x) => x,
    recurrence: { before: () => undefined, after: () => undefined, chunk: 1 },
    blockBoundary: () => undefined,
    readByLaterBlocks: () => undefined,
  };
  const rows = (name: string) => g.reshape(g.input(name, 'int64', ['batch', 'tokens']), [-1]);
  const residual = architecture.residual(scope, rows('ids'), rows('positions'));
  const inside = linear;
  linear = [];
  architecture.logits(scope, residual);
  const [heads, tied] = [false, true].map((isUsed) => linear.filter((weight) => used.has(weight) === isUsed));
  return { inside: [...new Set(inside)], experts, heads, tied };
}
