// What a request adds to logits: a bias on tokens of its choice, and penalties on what the answer has said.
// Source: platform.openai.com/docs/api-reference, logit_bias, presence_penalty and frequency_penalty.

export interface Steering {
  bias: readonly (readonly [id: number, by: number])[];
  presencePenalty: number;
  frequencyPenalty: number;
}

/** Whether anything is added; with `penalties` whether it depends on what was said. */
export function isSteering(steering: Steering | undefined, what: 'anything' | 'penalties' = 'anything'): boolean {
  if (!steering) return false;
  const { bias, presencePenalty, frequencyPenalty } = steering;
  return presencePenalty !== 0 || frequencyPenalty !== 0 || (what === 'anything' && bias.length > 0);
}

/**
 *     change(token) = bias(token) − presence · [count > 0] − frequency · count
 *
 * @param counts how often the answer has said each token; the prompt's do not count
 * @returns each token once
 */
export function logitChanges(
  steering: Steering | undefined,
  counts: ReadonlyMap<number, number>,
): (readonly [id: number, by: number])[] {
  if (!steering) return [];
  const { bias, presencePenalty, frequencyPenalty } = steering;
  const changes = new Map(bias);
  if (isSteering(steering, 'penalties'))
    for (const [id, count] of counts)
      changes.set(id, (changes.get(id) ?? 0) - presencePenalty - frequencyPenalty * count);
  return [...changes];
}
