// Refuses examples (token sequences with targets and weights) that a model cannot score, with errors that say why.
import { isAllowed } from '@bowyer/core';
import { contextLimit, type CausalArchitecture } from '../architecture/architecture.js';
import type { TokenExample } from '../batching/token-batches.js';

/** Throws RangeError for an example that is too long, has an unknown token, or scores one that the policy cannot generate. */
export function checkExamples(
  examples: readonly TokenExample[],
  { architecture, maskedTokenIds }: { architecture: CausalArchitecture; maskedTokenIds: readonly number[] },
): void {
  const masked = new Set(maskedTokenIds);
  examples.forEach(({ ids, targets, weights, tokenMasks }, index) => {
    if (ids.length > architecture.contextLength)
      throw new RangeError(
        `example ${index} has ${ids.length} tokens; ${contextLimit(architecture)}; keep the last ones`,
      );
    const unknown = ids.find((id) => !(id >= 0 && id < architecture.vocabSize));
    if (unknown !== undefined)
      throw new RangeError(
        `example ${index} contains the token id ${unknown}; the vocabulary has ${architecture.vocabSize} tokens`,
      );
    const impossible = targets.findIndex(
      (target, t) => weights[t] !== 0 && (masked.has(target) || !(target >= 0 && target < architecture.vocabSize)),
    );
    if (impossible >= 0)
      throw new RangeError(
        `example ${index} scores the token id ${targets[impossible]} at position ${impossible}, which the policy cannot generate (masked, or outside the vocabulary)`,
      );
    if (!tokenMasks) return;
    const isForbidden = (t: number) => !!tokenMasks[t] && !isAllowed(tokenMasks[t], targets[t]);
    const forbidden = targets.findIndex((_, t) => weights[t] !== 0 && isForbidden(t));
    if (forbidden >= 0)
      throw new RangeError(
        `example ${index} scores the token id ${targets[forbidden]} at position ${forbidden}, which is not among the allowed ones there`,
      );
  });
}
