// Implements gradient checkpointing: the backward pass computes the activations inside a block, such as a layer, again instead of
// keeping them. Source: Chen et al. 2016, arXiv:1604.06174, section 4, with the blocks chosen by the caller.
import type { GraphBuilder } from './builder.js';
import type { GraphNode, Value } from './ir.js';

export interface RecomputeOptions {
  /** The values between blocks, in the order of creation. Only these are stored; those inside a block are computed twice. */
  boundaries: readonly Value[];
  /** Further values that are needed to compute the values inside a block a second time, such as the seed of its dropout masks. */
  sources?: readonly Value[];
}

/** Returns the second copy of a value, which the gradient rules of a block use. */
export type Replay = (value: Value) => Value;

/** Returns the value itself; it is used outside all blocks. */
const asItIs: Replay = (value) => value;

/**
 * Says which values gradient rules use, the stored ones or second copies, while the backward pass visits the graph's nodes from
 * the end. The pass calls `enter` for each node, with the gradient by the node's first output.
 */
export class Recomputation {
  replay: Replay = asItIs;
  /** For the node that computes the last value of a block, the block's first value; undefined for the first block. */
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
    this.replay = start && dy ? replayAfter(this.g, [start, ...(this.options.sources ?? [])], [dy]) : asItIs;
  }
}

/**
 * Returns a function that copies a value and everything from which it is computed, back to `roots`, and ensures that none of the
 * copies is computed before `others`.
 *
 * @param copies values that are used in place of copies; the copies that are made are added
 * @param within the part of the graph whose nodes may be copied (see `Graph.apart`); all nodes if omitted
 */
export function replayAfter(
  g: GraphBuilder,
  roots: readonly Value[],
  others: readonly Value[],
  { copies = new Map<Value, Value>(), within }: { copies?: Map<Value, Value>; within?: number } = {},
): Replay {
  for (const root of roots)
    copies.set(
      root,
      g.scope('recompute', () => notBefore(g, others, root)),
    );
  const parts = new Map<number, number>();
  const copyOf = (part: number) => {
    if (!parts.has(part))
      parts.set(
        part,
        g.apart(() => g.part),
      );
    return parts.get(part)!;
  };
  const replay: Replay = (value) => {
    const known = copies.get(value);
    if (known) return known;
    copies.set(value, value);
    const { node } = value;
    if (!node || (within !== undefined && node.part !== within)) return value;
    const inputs = node.inputs.map((input) => input && replay(input));
    if (inputs.every((input, i) => input === node.inputs[i])) return value;
    const shapes = node.outputs.map(({ shape }) => shape);
    const make = () => g.scope('recompute', () => g.apply(node.op, inputs, node.attributes, shapes));
    const outputs = g.part > 0 || node.part === 0 ? make() : g.apart(make, copyOf(node.part));
    node.outputs.forEach((output, i) => copies.set(output, outputs[i]!));
    return copies.get(value)!;
  };
  return replay;
}

/**
 * Returns x, but so that it can be computed only after `others`: a selection between x and x by a condition on one element of
 * each of the others. The result is x in both cases, so a NaN has no effect, and ONNX Runtime's optimizer cannot remove the
 * selection (`x + 0 · other` would propagate a NaN).
 */
export function notBefore(g: GraphBuilder, others: readonly Value[], x: Value): Value {
  const elements = others.map((other) =>
    g.reshape(
      other.shape.reduce<Value>((rest, _, axis) => g.slice(rest, axis, 0, 1), other),
      [],
    ),
  );
  const condition = g.greater(
    elements.reduce((sum, element) => g.add(sum, element)),
    0,
  );
  return g.where(condition, x, x);
}
