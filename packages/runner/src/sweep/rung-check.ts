// What successive halving asks of a training whose length is counted in iterations: rungs at which trials can be compared.
import { findAlgorithm, type AnyAlgorithm } from '@bowyer/algorithms';
import { ConfigError, type Composition } from '@bowyer/config';
import { camelKeys } from '@bowyer/core';
import type { AshaSourceOptions } from './asha-source.js';

/** The key that counts a training's iterations. */
const ITERATIONS = 'iterations';

/** @throws {ConfigError} where the figures compared at a rung would mean nothing */
export function checkRungs(job: Composition, { resourceKey, metric, rungs }: AshaSourceOptions): void {
  if (resourceKey !== ITERATIONS) return;
  const evalFreq = job.setting('eval_freq');
  const between = rungs.find((rung) => typeof evalFreq === 'number' && rung % evalFreq !== 0);
  if (/^(.*:)?eval\//.test(metric) && between !== undefined)
    throw new ConfigError(
      'sweep',
      `a rung ends after ${between} iterations, but ${metric} is measured every ${String(evalFreq)} (eval_freq): the figure compared would be older`,
      [`rungs: ${rungs.join(', ')}`, 'choose an eval_freq that divides them all, or other resources'],
      { keyPath: 'eval_freq' },
    );
  const warmup = algorithmOf(job)?.frozenIterations?.(camelKeys(job.resolve()) as never) ?? 0;
  if (rungs[0] <= warmup)
    throw new ConfigError(
      'sweep',
      `the first rung ends after ${rungs[0]} iterations, but the policy is frozen for ${warmup} (warmup_iter): all trials would be equal there`,
      ['raise sweeper.min_resource above warmup_iter, or lower that'],
      { keyPath: 'sweeper.min_resource' },
    );
}

function algorithmOf(job: Composition): AnyAlgorithm | undefined {
  const name = job.setting('agent_type');
  return typeof name === 'string' ? findAlgorithm(name) : undefined;
}

/** What is allowed and rarely intended; null where there is no warning. */
export function rateWarning(job: Composition, { resourceKey }: AshaSourceOptions): string | null {
  const share = job.setting('lm_schedule.final_share');
  if (resourceKey !== ITERATIONS || typeof share !== 'number' || share === 1) return null;
  if (algorithmOf(job)?.trainsPolicy === false || job.setting('lm_schedule.kind') === 'constant') return null;
  return `the policy's rate falls to ${share} of itself towards the end of each rung, and a promoted trial continues with a larger one; lm_lr_final_share=1 keeps it`;
}
