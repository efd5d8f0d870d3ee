// A choice among some tokens: the softmax over these alone, in one form for sampling, scoring and training.
import type { GraphBuilder, Value } from '@bowyer/graph';

/** Added to the logits of allowed tokens: the odds of the others shrink by e^−100. */
export const ALLOWED_BIAS = 100;

/**
 * Inputs are padded with token 0 and bias 0. A row without a bias keeps all tokens.
 *
 * @param logits [rows, vocabulary]
 * @param ids [rows, n] int64, the allowed tokens
 * @param biases [rows, n] `ALLOWED_BIAS` where there is one
 */
export const restrictedLogits = (g: GraphBuilder, logits: Value, ids: Value, biases: Value): Value =>
  g.scatterElementsAdd(logits, ids, biases, 1);
