// Defines a linear recurrence over the first axis. ONNX can express it only as a loop: Scan with a body of six nodes.
import type { GradientContext, GraphNode, OperatorMethods, Value } from '../ir.js';
import { onnxTypeCodes } from '../dtype.js';
import { defineOp } from '../op.js';

/** The names of the operands of `linearRecurrence`, in the order of the node's inputs. */
const operands = ['start', 'decay', 'left', 'right', 'addend'] as const;

/** Builds one step: S′ = decay · S − left (right S) + addend. Outputs: S′, the next state, and S, which Scan stacks. */
function recurrenceBody({ inputs: [start] }: GraphNode) {
  const elemType = onnxTypeCodes[start!.dtype];
  const info = (name: string) => ({ name, type: { tensorType: { elemType } } });
  const node = (opType: string, input: string[], output: string) => ({ opType, name: output, input, output: [output] });
  return {
    name: 'linear_recurrence',
    input: operands.map(info),
    output: [info('next'), info('before')],
    node: [
      node('MatMul', ['right', 'start'], 'read'),
      node('MatMul', ['left', 'read'], 'erased'),
      node('Mul', ['decay', 'start'], 'kept'),
      node('Sub', ['kept', 'erased'], 'rest'),
      node('Add', ['rest', 'addend'], 'next'),
      node('Identity', ['start'], 'before'),
    ],
  };
}

/**
 * Computes Sₜ₊₁ = decayₜ · Sₜ − leftₜ (rightₜ Sₜ) + addendₜ from S₀ = start, or with `reverse` from the last t to the first. Outputs:
 * the state after the last step [B, d, e], and Sₜ for every t [n, B, d, e].
 *
 * For λₜ = ∂L/∂Sₜ the gradient is a recurrence of the same form in the opposite direction:
 *
 *     λₜ = decayₜ · λₜ₊₁ − rightₜᵀ (leftₜᵀ λₜ₊₁) + dSₜ
 *     d addendₜ = λₜ₊₁,  d decayₜ = Σ λₜ₊₁ Sₜ,  d leftₜ = −λₜ₊₁ (rightₜ Sₜ)ᵀ,  d rightₜ = −(leftₜᵀ λₜ₊₁) Sₜᵀ
 */
export const Scan = defineOp('Scan', {
  float16: 'float32',
  body: recurrenceBody,
  infer: ({ inputs: [start, decay, left, right, addend], fail }) => {
    const [batch, d, e] = start!.shape;
    const [steps, , , width] = left!.shape;
    const expected = { decay: [steps, batch, 1, 1], left: [steps, batch, d, width], right: [steps, batch, width, d] };
    const found: Record<string, Value> = { decay: decay!, left: left!, right: right! };
    for (const [name, shape] of Object.entries(expected))
      if (found[name]!.shape.join() !== shape.join()) fail(`${name} must be [${shape.join(', ')}]`);
    if (addend!.shape.join() !== [steps, batch, d, e].join()) fail('addend must be [steps, batch, d, e]');
    return [
      { dtype: start!.dtype, shape: start!.shape },
      { dtype: start!.dtype, shape: [steps!, ...start!.shape] },
    ];
  },
  gradient: recurrenceGradient,
});

function recurrenceGradient(g: OperatorMethods, { inputs, outputs, dys, attributes }: GradientContext) {
  const [start, decay, left, right] = inputs as Value[];
  const states = outputs[1]!;
  const last = dys[0] ?? g.zeros(start!.shape, start!.dtype);
  const contributed = dys[1] ?? g.zeros(states.shape, states.dtype);
  const transposed = (x: Value) => g.transpose(x, [0, 1, 3, 2]);
  const isReversed = (attributes.scan_input_directions as number[])[0] === 1;
  const { end, states: adjoints } = g.linearRecurrence(
    { start: last, decay: decay!, left: transposed(right!), right: transposed(left!), addend: contributed },
    { reverse: !isReversed },
  );
  const read = g.matMul(right!, states);
  const erased = g.fusedMatMul(left!, adjoints, { transA: true });
  return [
    end,
    g.reduceSum(g.mul(adjoints, states), { axes: [2, 3], keepdims: true }),
    g.neg(g.fusedMatMul(adjoints, read, { transB: true })),
    g.neg(g.fusedMatMul(erased, states, { transB: true })),
    adjoints,
  ];
}
