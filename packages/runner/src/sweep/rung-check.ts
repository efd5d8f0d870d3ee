// Checks that a training whose length is counted in iterations has rungs at which successive halving can compare trials.
import { findAlgorithm, rateFollowsIterations, type AnyAlgorithm } from '@bowyer/algorithms';
import { ConfigError, type Composition } from '@bowyer/config';
import { camelKeys } from '@bowyer/core';
import type { TrainConfig } from '../tasks/train/train-config.js';
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
  const config = camelKeys(job.resolve()) as Pick<TrainConfig, 'lmSchedule' | 'lmLrFinalShare'>;
  const { lmSchedule, lmLrFinalShare = 1 } = config;
  if (lmSchedule && rateFollowsIterations({ ...lmSchedule, finalShare: lmSchedule.finalShare ?? lmLrFinalShare }))
    throw new ConfigError(
      'sweep',
      "the policy's rate follows the number of iterations, which grows from rung to rung: a promoted trial could not be resumed",
      ['write lm_schedule.kind=constant, or lm_lr_final_share=1'],
      { keyPath: 'lm_schedule' },
    );
  const warmup = algorithmOf(job)?.frozenIterations?.(config) ?? 0;
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
