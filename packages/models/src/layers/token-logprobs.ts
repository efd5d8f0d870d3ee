// Computes log p(token) from logits in one way for training, scoring and sampling, so that all three agree up to rounding.
import type { GraphBuilder, Value } from '@bowyer/graph';

/**
 * Computes log p(target) = logits[target] − log Σ exp(logits). The log of the sum is derived from the softmax, a fast fused kernel: at
 * the largest logit m, p = exp(m) / Σ exp, so log Σ exp = m − log max(p), and max(p) ≥ 1/vocabulary never underflows.
 *
 * @param logits [rows, vocabulary]
 * @param targets [rows] int64, or [rows, targets]
 * @returns logprobs in nats, in the shape of the targets, and the probabilities [rows, vocabulary]
 */
export function tokenLogprobs(
  g: GraphBuilder,
  logits: Value,
  targets: Value,
): { logprobs: Value; probabilities: Value } {
  const probabilities = g.softmax(logits);
  const largest = { axes: [1] };
  const logSum = g.sub(g.reduceMax(logits, largest), g.log(g.reduceMax(probabilities, largest)));
  if (isWide(targets))
    return { logprobs: g.sub(g.gatherElements(logits, targets, 1), g.unsqueeze(logSum, 1)), probabilities };
  const chosen = g.squeeze(g.gatherElements(logits, g.unsqueeze(targets, 1), 1), 1);
  return { logprobs: g.sub(chosen, logSum), probabilities };
}

const isWide = (targets: Value): boolean => targets.shape.length === 2;

/**
 * Computes the gradient of Σ weights · (−log p(target)) by the logits, [rows, vocabulary]: weights · (p − onehot(target)).
 *
 * @param weights in the shape of the targets: [rows], or [rows, targets]
 */
export function weightedNllGradient(g: GraphBuilder, probabilities: Value, targets: Value, weights: Value): Value {
  if (isWide(targets)) {
    const sum = g.unsqueeze(g.reduceSum(weights, { axes: [1] }), 1);
    return g.scatterElementsAdd(g.mul(probabilities, sum), targets, g.neg(weights), 1);
  }
  const column = g.unsqueeze(weights, 1);
  return g.scatterElementsAdd(g.mul(probabilities, column), g.unsqueeze(targets, 1), g.neg(column), 1);
}

/**
 * Computes each row's entropy in nats, [rows]: H = −Σ p log p = log Σ exp(logits) − Σ p · logits.
 *
 * @param probabilities the softmax of the logits, both [rows, vocabulary]
 */
export function tokenEntropies(g: GraphBuilder, logits: Value, probabilities: Value): Value {
  const over = { axes: [1] };
  const logSum = g.sub(g.reduceMax(logits, over), g.log(g.reduceMax(probabilities, over)));
  return g.sub(logSum, g.reduceSum(g.mul(probabilities, logits), over));
}

/** Computes the gradient of Σ weights · (−H) by the logits, [rows, vocabulary]: weights [rows] · p · (logits − Σ p · logits). */
export function weightedNegativeEntropyGradient(
  g: GraphBuilder,
  logits: Value,
  probabilities: Value,
  weights: Value,
): Value {
  const mean = g.unsqueeze(g.reduceSum(g.mul(probabilities, logits), { axes: [1] }), 1);
  return g.mul(g.mul(probabilities, g.sub(logits, mean)), g.unsqueeze(weights, 1));
}
