import type { RecordedRollout } from './recorded.js';

/**
 * Checks that all answers have tokens, which importance ratios need. @throws for an answer of another endpoint or a redacted one
 */
export function requireTokens({ id, calls }: Pick<RecordedRollout, 'id' | 'calls'>): void {
  const untrainable = calls.find(({ upstream, redacted }) => upstream !== undefined || redacted);
  if (untrainable === undefined) return;
  throw new Error(
    `the rollout '${id}' was ${untrainable.redacted ? 'redacted' : `answered by ${untrainable.upstream}`}, so its record has no tokens and no log-probabilities\n` +
      '  learn from it with supervision (task=finetune, algorithm=bc), or record the rollout with the model itself',
  );
}
