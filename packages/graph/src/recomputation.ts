// Gradient checkpointing: the backward pass computes a block's inner values again instead of keeping them.
// Source: Chen et al. 2016, arXiv:1604.06174, section 4, with the blocks chosen by the caller.
import type { GraphBuilder } from './builder.js';
import type { GraphNode, Value } from './ir.js';

export interface RecomputeOptions {
  /** Values between blocks, in the order they were made. Only these are stored; values between two of them are computed twice. */
  boundaries: readonly Value[];
  /** Further values that a block's inner values start from, such as the seed of its dropout masks. */
  sources?: readonly Value[];
}

/** Maps values to their second copies, which the gradient rules of one block use. */
export type Replay = (value: Value) => Value;

/** Returns the value itself: outside all blocks nothing is computed again. */
const asItIs: Replay = (value) => value;

/**
 * Which copies the backward pass uses while it walks the graph from its end: `enter` is called for each node that is
 * reached, with the gradient by its first output.
 */
export class Recomputation {
  replay: Replay = asItIs;
  /** The node that ends a block → where the block begins. */
  readonly #blocks = new Map<GraphNode, Value | undefined>();

  constructor(
    private readonly g: GraphBuilder,
    private readonly options: RecomputeOptions,
  ) {
    options.boundaries.forEach((end, i) => {
      if (end.node) this.#blocks.set(end.node, options.boundaries[i - 1]);
    });
  }

  enter(node: GraphNode, dy: Value | undefined): void {
    if (!this.#blocks.has(node)) return;
    const start = this.#blocks.get(node);
    this.replay = start && dy ? replayAfter(this.g, [start, ...(this.options.sources ?? [])], dy) : asItIs;
  }
}

/** Copies everything computed from `roots`, none of which can be computed before `dy`. */
function replayAfter(g: GraphBuilder, roots: readonly Value[], dy: Value): Replay {
  const copies = new Map<Value, Value>();
  for (const root of roots)
    copies.set(
      root,
      g.scope('recompute', () => notBefore(g, dy, root)),
    );
  const replay: Replay = (value) => {
    const known = copies.get(value);
    if (known) return known;
    copies.set(value, value);
    const { node } = value;
    if (!node) return value;
    const inputs = node.inputs.map((input) => input && replay(input));
    if (inputs.every((input, i) => input === node.inputs[i])) return value;
    const shapes = node.outputs.map(({ shape }) => shape);
    const outputs = g.scope('recompute', () => g.apply(node.op, inputs, node.attributes, shapes));
    node.outputs.forEach((output, i) => copies.set(output, outputs[i]!));
    return copies.get(value)!;
  };
  return replay;
}

/**
 * Returns x itself, but computed only after `other`: a choice between x and x by an element of `other`. The result is x in both cases,
 * so a NaN has no effect, and ONNX Runtime's optimizer cannot remove the choice (`x + 0 · other` would propagate a NaN).
 */
export function notBefore(g: GraphBuilder, other: Value, x: Value): Value {
  const element = other.shape.reduce<Value>((rest, _, axis) => g.slice(rest, axis, 0, 1), other);
  const condition = g.greater(g.reshape(element, []), 0);
  return g.where(condition, x, x);
}
