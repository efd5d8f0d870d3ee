import type { TokenExample } from '@bowyer/models';
import type { LearnedTurn, TurnBatch } from './turn-batch.js';

/** The examples of a batch, every token with the weight of its turn. */
export function weightedExamples({
  examples,
  turns,
  lengths,
}: TurnBatch<LearnedTurn & { weight: number }>): TokenExample[] {
  const weights = turns.flatMap(({ weight }, i) => new Array<number>(lengths[i]).fill(weight));
  let next = 0;
  return examples.map((example) => ({
    ...example,
    weights: example.weights.map((weight) => (weight === 0 ? 0 : weights[next++])),
  }));
}
