// Computes parts of a graph, such as chunks of a batch, one after the other, forward and backward, so that the activations of
// only one part are in memory at a time.
import { gradients } from './gradients.js';
import type { GraphBuilder } from './builder.js';
import type { Op, Value } from './ir.js';
import { defineOp, inferSame } from './op.js';
import { replayAfter } from './recomputation.js';

/**
 * Makes parts of a graph for which the forward pass keeps only the inputs and the result. The backward pass takes the parts in
 * turn: it computes the activations inside one part a second time, then the gradients by all inputs of the part, and only then
 * begins with the next part. Without this order ONNX Runtime would compute the gradient by one input in all parts, and keep their
 * activations for the other inputs.
 */
export class PartsInTurn {
  #first?: Op;
  /** The gradients by the shared inputs, summed over the parts whose backward pass has been built. */
  #sums: Value[] = [];
  /** The gradients that must be computed before the backward pass of the next part begins. */
  #done: Value[] = [];

  /**
   * @param shared inputs that all parts read. Their gradients are summed part by part; if the parts read slices of them, keeping
   *   the gradients of all parts would take as much memory as the activations.
   */
  constructor(
    private readonly g: GraphBuilder,
    private readonly shared: readonly Value[],
  ) {}

  /**
   * Adds a part to the graph, and returns its result. Values of the part that do not depend on `own` are kept in memory.
   *
   * @param own the input that only this part reads
   * @param compute builds the part
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
    // If the part's result is an Identity, its operand is in memory as the stored result, so the gradient rules that read it use
    // it without computing it again.
    const operand = result.node?.op.opType === 'Identity' ? result.node.inputs[0] : undefined;
    if (operand) copies.set(operand, operand);
    const again = replayAfter(this.g, inputs, [dy, ...this.#done], { copies, within: result.node?.part });
    return gradients(this.g, again(result), inputs.map(again), { upstream: dy });
  }
}
