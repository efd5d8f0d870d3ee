// Computes parts of a graph one after the other, forward and backward, so that only one part's inner values are in memory at a time.
import { gradients } from './gradients.js';
import type { GraphBuilder } from './builder.js';
import type { Op, Value } from './ir.js';
import { defineOp, inferSame } from './op.js';
import { replayAfter } from './recomputation.js';

/**
 * Makes parts of a graph, of which the backward pass keeps only inputs and results. It computes a part's inner values a second time,
 * then the gradients by all of its inputs, and only then those of the next part. Without this order ONNX Runtime computes the gradient
 * by one input in all parts, and keeps their inner values for the other inputs.
 */
export class PartsInTurn {
  #first?: Op;
  /** The gradients by the shared inputs, summed over the parts so far. */
  #sums: Value[] = [];
  /** Everything that must be computed before the next part of the backward pass. */
  #done: Value[] = [];

  /**
   * @param shared inputs of all parts. Their gradients are summed part by part, since the gradients of all parts would take as much
   *   memory as the inner values if parts read slices of them.
   */
  constructor(
    private readonly g: GraphBuilder,
    private readonly shared: readonly Value[],
  ) {}

  /**
   * Computes a part. Inner values that do not depend on `own` are kept in memory.
   *
   * @param own the part's own input
   */
  part(own: Value, compute: () => Value): Value {
    const { g } = this;
    const result = g.apart(compute);
    const op = defineOp('Identity', {
      operands: 1,
      infer: inferSame,
      gradient: (_, { inputs: [stored, ...inputs], dy }) => {
        const [gradient, ...others] = g.apart(() => this.#gradients(stored!, inputs as Value[], dy));
        this.#sums = others.map((other, i) => (this.#sums[i] ? g.add(this.#sums[i], other) : other));
        this.#done = [gradient!, ...this.#sums];
        return [null, gradient!, ...this.#sums.map((sum) => (op === this.#first ? sum : null))];
      },
    });
    this.#first ??= op;
    return g.apply(op, [result, own, ...this.shared])[0]!;
  }

  #gradients(result: Value, inputs: readonly Value[], dy: Value): Value[] {
    const copies = new Map<Value, Value>();
    // An Identity returns its operand, which is therefore in memory: the rules that read it need no second one.
    const operand = result.node?.op.opType === 'Identity' ? result.node.inputs[0] : undefined;
    if (operand) copies.set(operand, operand);
    const again = replayAfter(this.g, inputs, [dy, ...this.#done], { copies, within: result.node?.part });
    return gradients(this.g, again(result), inputs.map(again), { upstream: dy });
  }
}
