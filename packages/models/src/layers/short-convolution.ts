// Computes a causal depthwise convolution over the last few tokens, and its state: the tokens that the next call needs.
import { addDims, type GraphBuilder, type Value } from '@bowyer/graph';

/** The inputs of a convolution in addition to x. */
export interface ShortConvolution {
  /** [channels, 1, width] as in torch.nn.Conv1d; the last column is for the current token. */
  weight: Value;
  /** [channels] */
  bias?: Value;
  /** [batch, width − 1, channels] the previous tokens, the latest last; zeros if not given. */
  state?: Value;
  /** [batch] int64: the number of real tokens in each row, the rest being padding on the right; all if not given. */
  counts?: Value;
}

/** Computes yₜ = bias + Σⱼ weightⱼ · xₜ₋ⱼ, [batch, tokens, channels] like x, and the state after the last real token. */
export function shortConvolution(
  g: GraphBuilder,
  x: Value,
  { weight, bias, state, counts }: ShortConvolution,
): { output: Value; state: Value } {
  const [batch, tokens, channels] = x.shape;
  const width = weight.dim(2) as number;
  const before = width - 1;
  const extended = state ? g.concat([state, x], 1) : g.pad(x, 1, before, 0);
  const columns = g.transpose(g.reshape(weight, [channels, width]), [1, 0]);
  const terms = Array.from({ length: width }, (_, j) =>
    g.mul(g.slice(extended, 1, j, addDims(tokens, j)), g.slice(columns, 0, j, j + 1)),
  );
  const sum = terms.reduce((a, b) => g.add(a, b));
  const output = bias ? g.add(sum, bias) : sum;
  if (!counts) return { output, state: g.slice(extended, 1, tokens) };
  // The new state is rows counts … counts + width − 2 of `extended`, the last ones before the padding.
  const rows = g.add(g.unsqueeze(counts, 1), g.range(before));
  const index = g.expand(g.unsqueeze(rows, 2), [batch, before, channels]);
  return { output, state: g.gatherElements(extended, index, 1) };
}
