// Layers whose tokens follow one another: where rows begin with a shared prefix, the prefix is computed first.
import { multiplyDims, type Value } from '@bowyer/graph';
import type { ForwardScope, Recurrence } from '../architecture/architecture.js';
import { shortConvolution, type ShortConvolution } from '../layers/short-convolution.js';

/** Sequences of equal length, and where the states of recurrent layers come from and go. */
export type Sequences = Pick<ForwardScope, 'g' | 'batch' | 'tokens' | 'recurrence'>;

/**
 * Runs a recurrent layer over flat rows. The states after a shared prefix are those that every sequence begins with.
 *
 * @param inputs flat rows, of one count
 * @param compute flat rows [batch · tokens, …] of the sequences from theirs
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
 * @param state name of the tokens that it keeps
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
