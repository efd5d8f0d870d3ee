// Runs layers that depend on the order of tokens (recurrences, convolutions) over flat rows. A shared prefix is computed first.
import { multiplyDims, type Value } from '@bowyer/graph';
import type { ForwardScope, Recurrence } from '../architecture/architecture.js';
import { shortConvolution, type ShortConvolution } from '../layers/short-convolution.js';

/** Sequences of equal length, with access to the states of recurrent layers. */
export type Sequences = Pick<ForwardScope, 'g' | 'batch' | 'tokens' | 'recurrence'>;

/**
 * Runs a recurrent layer over flat rows. All sequences start from the states after the shared prefix.
 *
 * @param inputs flat rows, all with the same number of rows
 * @param compute maps the inputs' rows of some sequences to their result, flat rows [batch · tokens, …]
 */
export function overSequences(
  scope: ForwardScope,
  inputs: readonly Value[],
  compute: (sequences: Sequences, rows: readonly Value[]) => Value,
): Value {
  const { g, batch, tokens, prefix, recurrence } = scope;
  if (prefix === undefined) return compute(scope, inputs);
  const parts = inputs.map((rows) => g.split(rows, 0, [prefix, multiplyDims(batch, tokens)]));
  const states = new Map<string, Value>();
  const { chunk } = recurrence;
  const prefixStates: Recurrence = { before: () => undefined, after: (name, state) => states.set(name, state), chunk };
  const ownStates: Recurrence = {
    before: (name) => g.expand(states.get(name)!, [batch, ...states.get(name)!.shape.slice(1)]),
    after: () => {},
    chunk,
  };
  const rowsOf = (part: 0 | 1) => parts.map((split) => split[part]);
  const shared = compute({ g, batch: 1, tokens: prefix, recurrence: prefixStates }, rowsOf(0));
  return g.concat([shared, compute({ g, batch, tokens, recurrence: ownStates }, rowsOf(1))], 0);
}

/**
 * Computes a short convolution over each sequence of flat rows [batch · tokens, channels].
 *
 * @param state the name of the state, which has the last tokens before the sequence
 * @returns [batch, tokens, channels]
 */
export function convolveSequences(
  { g, batch, tokens, recurrence }: Sequences,
  rows: Value,
  state: string,
  { weight, bias }: Pick<ShortConvolution, 'weight' | 'bias'>,
): Value {
  const convolved = shortConvolution(g, g.reshape(rows, [batch, tokens, rows.dim(1)]), {
    weight,
    bias,
    state: recurrence.before(state),
    counts: recurrence.counts,
  });
  recurrence.after(state, convolved.state);
  return convolved.output;
}
