import { sameLength, type TokenLoss } from './token-loss.js';

/**
 * Computes the loss of direct preference optimisation on pairs of sequences, with log π(y) the sum of token log-probabilities:
 *
 *     h = β [ (log π(chosen) − log π_ref(chosen)) − (log π(rejected) − log π_ref(rejected)) ]
 *     L = −mean over pairs of [ log σ(h) + α log π(chosen) / |chosen| ]
 *
 * Source: Rafailov et al. 2023, arXiv:2305.18290, eq. 7; the second term, which keeps the chosen sequences likely, Pang et al.
 * 2024, arXiv:2404.19733, eq. 1.
 *
 * @param logprobs [N] nats, under the policy being trained: the sequences one after the other, chosen and rejected in turn
 * @param refLogprobs [N] nats, under the frozen reference policy
 * @param lengths [2 · pairs] tokens of each sequence
 * @param options.beta β, per nat
 * @param options.nllCoefficient α; 0: none
 * @returns the loss, its gradient by `logprobs` [N], the share of pairs with h > 0, the mean of h, and the mean of −log π(chosen)
 * / |chosen|
 */
export function dpoLoss(
  { logprobs, refLogprobs, lengths }: { logprobs: Float32Array; refLogprobs: Float32Array; lengths: readonly number[] },
  { beta, nllCoefficient }: { beta: number; nllCoefficient: number },
): TokenLoss & { accuracy: number; margin: number; nll: number } {
  sameLength('dpoLoss', { logprobs, refLogprobs });
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  if (lengths.length === 0 || lengths.length % 2 !== 0 || tokens !== logprobs.length)
    throw new RangeError(
      `dpoLoss: ${lengths.length} sequences of ${tokens} tokens for ${logprobs.length} logprobs; give chosen and rejected in turn, with all their tokens`,
    );
  const pairs = lengths.length / 2;
  const gradient = new Float32Array(logprobs.length);
  let [loss, accuracy, margin, nll] = [0, 0, 0, 0];
  for (let pair = 0, start = 0; pair < pairs; pair++) {
    const middle = start + lengths[2 * pair];
    const end = middle + lengths[2 * pair + 1];
    const logRatio = (from: number, to: number) => {
      let sum = 0;
      for (let t = from; t < to; t++) sum += logprobs[t] - refLogprobs[t];
      return sum;
    };
    const h = beta * (logRatio(start, middle) - logRatio(middle, end));
    // Computes −log σ(h) without overflow for large h of either sign.
    loss += (Math.max(-h, 0) + Math.log1p(Math.exp(-Math.abs(h)))) / pairs;
    const slope = (-beta * sigmoid(-h)) / pairs;
    const length = middle - start;
    if (length > 0) nll -= logprobs.subarray(start, middle).reduce((sum, logprob) => sum + logprob, 0) / length / pairs;
    gradient.fill(slope - nllCoefficient / length / pairs, start, middle);
    gradient.fill(-slope, middle, end);
    accuracy += (h > 0 ? 1 : 0) / pairs;
    margin += h / pairs;
    start = end;
  }
  return { loss: loss + nllCoefficient * nll, gradient, accuracy, margin, nll };
}

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
