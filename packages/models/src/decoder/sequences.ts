// Computes layers that depend on the order of tokens (recurrences, convolutions) where tokens are given as flat rows, of a
// rectangle or of a tree of tokens.
import type { Value } from '@bowyer/graph';
import type { ForwardScope } from '../architecture/architecture.js';
import { shortConvolution, type ShortConvolution } from '../layers/short-convolution.js';

/** Sequences of equal length in a graph, with access to the states of recurrent layers. */
export type Sequences = Pick<ForwardScope, 'g' | 'batch' | 'tokens' | 'recurrence'>;

/**
 * Computes a recurrent layer for all tokens. If the rows are a tree of tokens, the layer is computed over all sequences of the
 * tree or, if `reach` is given, for each token only over the last `reach` tokens of the path to it.
 *
 * @param inputs flat rows, all with the same number of rows
 * @param compute maps the inputs' rows for some sequences to their result, flat rows [batch · tokens, …]
 * @param reach the number of tokens, itself included, on which a token's result depends, if rows of 0 can stand for tokens before
 *   the first one; unlimited if undefined
 */
export function overSequences(
  scope: ForwardScope,
  inputs: readonly Value[],
  compute: (sequences: Sequences, rows: readonly Value[]) => Value,
  reach?: number,
): Value {
  const { g, recurrence } = scope;
  const tree = scope.tree?.(reach);
  if (tree === undefined) return compute(scope, inputs);
  const places = 'ends' in tree ? tree.ends : tree.sequences;
  const [batch, tokens] = places.shape;
  const flat = g.reshape(places, [-1]);
  const rows = inputs.map((x) => g.gather('ends' in tree ? g.pad(x, 0, 0, 1) : x, flat, 0));
  const found = compute({ g, batch, tokens, recurrence }, rows);
  if (!('ends' in tree)) return g.gather(found, tree.inSequences, 0);
  const size = found.dim(1);
  return g.reshape(g.slice(g.reshape(found, [batch, tokens, size]), 1, -1), [batch, size]);
}

/**
 * Computes a short convolution over each sequence of flat rows [batch · tokens, channels].
 *
 * @param state the name of the recurrent state that has the last tokens before the sequence
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
