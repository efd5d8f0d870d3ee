// Declares policy losses: functions of per-token quantities under the policy being trained, which are computed on the host and return
// value and gradient. Arrays are [N]: the agent's tokens of a batch, one sequence after the other.

/** The result of a policy loss. */
export interface TokenLoss {
  loss: number;
  /** [N] dL / d logprob of each token. */
  gradient: Float32Array;
  /** [N] dL / d entropy of the distribution that each token was sampled from, for losses with an entropy bonus. */
  entropyGradient?: Float32Array;
  /** [M] dL / dV of each value, for losses with a value function. */
  valueGradient?: Float32Array;
}

/** The inputs of a policy loss. */
export interface ScoredTokens {
  /** [N] nats, under the policy being trained. */
  logprobs: Float32Array;
  /** [N] nats, of the distribution before each token; empty unless the caller requested entropies. */
  entropies: Float32Array;
  /** [M] outputs of the value head at the positions with a weight of V; M may differ from N. Empty without such positions. */
  values: Float32Array;
}

/** The way in which per-token losses ℓ_t are summed: L = Σ w_t ℓ_t. */
export type LossAggregation =
  /** w = 1 / number of tokens of the batch (DAPO, arXiv:2503.14476). */
  | { kind: 'token_mean' }
  /** w = 1 / (sequences · tokens of the sequence) (GRPO, arXiv:2402.03300). */
  | { kind: 'sequence_mean_token_mean' }
  /** w = 1 / sequences: a sequence's log-probability is a sum over its tokens (REINFORCE, ArCHer). */
  | { kind: 'sequence_mean_token_sum' }
  /** w = 1 / (sequences · divisor), where the divisor is a constant such as the length limit of replies (Dr. GRPO, arXiv:2503.20783). */
  | { kind: 'constant'; divisor: number };

/** Computes the weights [N] of the tokens in a loss, N = Σ lengths. `lengths`: [sequences] tokens of each sequence. */
export function tokenWeights(lengths: readonly number[], aggregation: LossAggregation): Float32Array {
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  if (tokens === 0) throw new RangeError(`tokenWeights: ${lengths.length} sequences have no token of the agent`);
  const weightOf = (length: number) => {
    if (aggregation.kind === 'token_mean') return 1 / tokens;
    if (aggregation.kind === 'sequence_mean_token_mean') return 1 / (lengths.length * length);
    if (aggregation.kind === 'sequence_mean_token_sum') return 1 / lengths.length;
    return 1 / (lengths.length * aggregation.divisor);
  };
  const weights = new Float32Array(tokens);
  let start = 0;
  for (const length of lengths) weights.fill(weightOf(length), start, (start += length));
  return weights;
}

/** Sums losses with coefficients, Σ coefficient · loss, with their gradients. */
export function weightedSum(...terms: readonly { loss: TokenLoss; coefficient: number }[]): TokenLoss {
  const total: TokenLoss = { loss: 0, gradient: new Float32Array(terms[0].loss.gradient.length) };
  const add = (to: Float32Array, from: Float32Array, coefficient: number) =>
    from.forEach((x, t) => (to[t] += coefficient * x));
  for (const { loss, coefficient } of terms) {
    sameLength('weightedSum', { gradient: total.gradient, 'a later gradient': loss.gradient });
    total.loss += coefficient * loss.loss;
    add(total.gradient, loss.gradient, coefficient);
    if (loss.entropyGradient) {
      total.entropyGradient ??= new Float32Array(total.gradient.length);
      add(total.entropyGradient, loss.entropyGradient, coefficient);
    }
    if (loss.valueGradient) {
      total.valueGradient ??= new Float32Array(loss.valueGradient.length);
      add(total.valueGradient, loss.valueGradient, coefficient);
    }
  }
  return total;
}

export function sameLength(caller: string, arrays: Record<string, ArrayLike<unknown>>): void {
  const lengths = Object.entries(arrays).map(([name, { length }]) => `${name} ${length}`);
  if (new Set(Object.values(arrays).map(({ length }) => length)).size > 1)
    throw new RangeError(`${caller}: the arrays differ in length (${lengths.join(', ')}); all must be [N]`);
}
