// A causal convolution over the last few tokens, each channel by itself, and the tokens that it keeps between calls.
import { addDims, type GraphBuilder, type Value } from '@bowyer/graph';

export interface ShortConvolution {
  /** [channels, 1, width] as torch.nn.Conv1d keeps it; the last column is the present token's. */
  weight: Value;
  /** [channels] */
  bias?: Value;
  /** [batch, width − 1, channels] the tokens before, the latest last; zeros if not given. */
  state?: Value;
  /** [batch] int64: how many of the tokens of a row are real, the rest being padding on the right; all if not given. */
  counts?: Value;
}

/**
 * Computes yₜ = bias + Σⱼ weightⱼ · xₜ₋ⱼ, one product of each channel per j.
 *
 * @param x [batch, tokens, channels]
 * @returns y of x's shape, and the state after the last real token
 */
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
  // The last tokens before the padding: rows counts … counts + width − 2 of what the convolution went over.
  const rows = g.add(g.unsqueeze(counts, 1), g.range(before));
  const index = g.expand(g.unsqueeze(rows, 2), [batch, before, channels]);
  return { output, state: g.gatherElements(extended, index, 1) };
}
