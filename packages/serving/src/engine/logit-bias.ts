// Computes the changes that a request makes to logits: a bias on chosen tokens, and penalties on tokens of the answer so far.
// Source: platform.openai.com/docs/api-reference, logit_bias, presence_penalty and frequency_penalty.

export interface LogitAdjustments {
  bias: readonly (readonly [id: number, by: number])[];
  presencePenalty: number;
  frequencyPenalty: number;
}

/** Returns whether any logit changes; with `penalties` true, whether a change depends on the answer so far. */
export function adjustsLogits(
  adjustments: LogitAdjustments | undefined,
  what: 'anything' | 'penalties' = 'anything',
): boolean {
  if (!adjustments) return false;
  const { bias, presencePenalty, frequencyPenalty } = adjustments;
  return presencePenalty !== 0 || frequencyPenalty !== 0 || (what === 'anything' && bias.length > 0);
}

/**
 * Computes the changes of the next token's logits.
 *
 *     change(token) = bias(token) − presence · [count > 0] − frequency · count
 *
 * @param counts how often the answer so far contains each token; the prompt's tokens are not counted
 * @returns each changed token once
 */
export function logitChanges(
  adjustments: LogitAdjustments | undefined,
  counts: ReadonlyMap<number, number>,
): (readonly [id: number, by: number])[] {
  if (!adjustments) return [];
  const { bias, presencePenalty, frequencyPenalty } = adjustments;
  const changes = new Map(bias);
  if (adjustsLogits(adjustments, 'penalties'))
    for (const [id, count] of counts)
      changes.set(id, (changes.get(id) ?? 0) - presencePenalty - frequencyPenalty * count);
  return [...changes];
}
