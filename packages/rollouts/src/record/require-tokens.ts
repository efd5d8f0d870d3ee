import type { RecordedRollout } from './recorded.js';

/**
 * Checks that all answers have tokens, since losses with ratios need what the model sampled.
 *
 * @throws for a rollout that another endpoint has answered, or that was redacted
 */
export function requireTokens({ id, calls }: Pick<RecordedRollout, 'id' | 'calls'>): void {
  const foreign = calls.find(({ upstream, redacted }) => upstream !== undefined || redacted);
  if (foreign === undefined) return;
  throw new Error(
    `the rollout '${id}' was ${foreign.redacted ? 'redacted' : `answered by ${foreign.upstream}`}, so its record has no tokens and no log-probabilities\n` +
      '  learn from it with supervision (task=finetune, algorithm=bc), or record the rollout with the model itself',
  );
}
