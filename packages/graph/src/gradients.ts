// Differentiates a graph in reverse mode: computes the gradients of one scalar by the requested values.
import type { GraphBuilder } from './builder.js';
import { sameShape } from './dims.js';
import { isFloat } from './dtype.js';
import { NotDifferentiableError, describeValue } from './errors.js';
import { Recomputation, type RecomputeOptions, type Replay } from './recomputation.js';
import type { GraphNode, InputGradient, Value } from './ir.js';

export interface GradientOptions {
  /** The gradient of the quantity to differentiate by `y`. If not given, `y` itself is differentiated, which must be a scalar. */
  upstream?: Value;
  /** Gradients that reach values on paths that do not pass through `y`; they are added to the results. */
  contributed?: ReadonlyMap<Value, Value>;
  /** If given, the activations inside blocks are computed a second time in the backward pass instead of being stored. */
  recompute?: RecomputeOptions;
}

/**
 * Returns the gradients of the scalar `y` by each value of `wrt`, as new nodes of the same graph. Nodes that no output needs are left
 * out when the graph is serialised, so requesting few gradients costs few nodes.
 *
 *     ∂y/∂x = Σ over uses of x   ∂y/∂use · ∂use/∂x
 *
 * @throws NotDifferentiableError if there is no path from a value of `wrt` to `y`, or it passes an operator without a rule
 */
export function gradients(
  g: GraphBuilder,
  y: Value,
  wrt: readonly Value[],
  { upstream, contributed = new Map(), recompute = { boundaries: [] } }: GradientOptions = {},
): Value[] {
  if (!upstream && y.shape.some((dim) => dim !== 1)) {
    throw new RangeError(`gradients: ${describeValue(y)} is not a scalar; reduce it, or give 'upstream'`);
  }
  const contributions = new Map<Value, InputGradient[]>([[y, [upstream ?? g.full(1, y.shape, y.dtype)]]]);
  for (const [value, gradient] of contributed) contributions.set(value, [gradient]);
  const recomputation = new Recomputation(g, recompute);
  const between = nodesBetween(g, y, wrt);
  for (const node of between.nodes.reverse()) {
    const dys = node.outputs.map((output) => sumContributions(g, contributions.get(output)));
    recomputation.enter(node, dys[0]);
    if (dys.every((dy) => dy === undefined)) continue;
    for (const [i, gradient] of inputGradients(g, node, dys, recomputation.replay).entries()) {
      const input = node.inputs[i];
      if (!input || !gradient || !between.depends.has(input)) continue;
      contributions.set(input, [...(contributions.get(input) ?? []), gradient]);
    }
  }
  return wrt.map((value) => {
    const gradient = sumContributions(g, contributions.get(value));
    if (!gradient) throw new NotDifferentiableError(explainMissing(y, value, between.depends));
    if (!sameShape(gradient.shape, value.shape))
      throw new Error(
        `gradients: the gradient ${describeValue(gradient)} does not have the shape of ${describeValue(value)}`,
      );
    return gradient;
  });
}

/** Returns those `candidates` on which y depends by a path that does not pass through `start`. */
export function dependencies(y: Value, candidates: readonly Value[], { start }: { start: Value }): Value[] {
  const seen = new Set<Value>();
  const waiting = [y];
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    if (seen.has(value) || value === start) continue;
    seen.add(value);
    for (const input of value.node?.inputs ?? []) if (input) waiting.push(input);
  }
  return candidates.filter((value) => seen.has(value));
}

/** Finds the nodes on paths from `wrt` to `y`, in the order of their creation, and all values that depend on `wrt`. */
function nodesBetween(g: GraphBuilder, y: Value, wrt: readonly Value[]) {
  const depends = new Set(wrt);
  const forward = g.nodes.filter((node) => {
    if (!node.inputs.some((input) => input && depends.has(input))) return false;
    for (const output of node.outputs) depends.add(output);
    return true;
  });
  const needed = new Set([y]);
  const nodes = forward.reverse().filter((node) => {
    if (!node.outputs.some((output) => needed.has(output))) return false;
    for (const input of node.inputs) if (input) needed.add(input);
    return true;
  });
  return { nodes: nodes.reverse(), depends };
}

function inputGradients(
  g: GraphBuilder,
  node: GraphNode,
  dys: readonly (Value | undefined)[],
  replay: Replay,
): InputGradient[] {
  if (!node.op.gradient) {
    throw new NotDifferentiableError(
      [
        `gradients: ${node.op.opType} '${node.name}' has no gradient rule, but the loss depends on it`,
        ...node.inputs.filter((input) => input !== undefined).map((input) => `  input ${describeValue(input)}`),
        `  to treat its result as a constant, wrap it in g.stopGradient(…)`,
      ].join('\n'),
    );
  }
  const outputs = node.outputs.map(replay);
  const y = outputs[0]!;
  const dy = dys[0] ?? g.zeros(y.shape, y.dtype);
  return g.scope('gradient', () =>
    node.op.gradient!(g, {
      inputs: node.inputs.map((input) => input && replay(input)) as Value[],
      outputs,
      attributes: node.attributes,
      y,
      dy,
      dys,
    }),
  );
}

/** Sums the contributions to one gradient; sparse ones (rows of a table) are added to the sum of the dense ones. */
function sumContributions(g: GraphBuilder, contributions: InputGradient[] | undefined): Value | undefined {
  if (!contributions) return undefined;
  let sum: Value | undefined;
  for (const gradient of contributions) {
    if (gradient && typeof gradient !== 'function') sum = sum ? g.add(sum, gradient) : gradient;
  }
  for (const gradient of contributions) {
    if (typeof gradient === 'function') sum = gradient(sum);
  }
  return sum;
}

function explainMissing(y: Value, value: Value, depends: ReadonlySet<Value>): string {
  const head = `gradients: ${describeValue(y)} has no gradient by ${describeValue(value)}`;
  if (!depends.has(y)) return `${head}: it does not depend on it`;
  const flat = new Set<string>();
  const visit = (at: Value, seen: Set<Value>): void => {
    if (seen.has(at) || !at.node || !depends.has(at)) return;
    seen.add(at);
    if (!isFloat(at.dtype) || !at.node.op.gradient) flat.add(`${at.node.op.opType} '${at.node.name}'`);
    for (const input of at.node.inputs) if (input) visit(input, seen);
  };
  visit(y, new Set());
  return `${head}: every path passes an operator whose result is flat${flat.size > 0 ? ` (${[...flat].join(', ')})` : ' or a stopGradient'}`;
}
