// Checks whether successive halving can compare trials at its rungs, for trainings whose length is counted in iterations.
import { findAlgorithm, rateFollowsIterations, type AnyAlgorithm, type IterationSchedule } from '@bowyer/algorithms';
import { ConfigError, type Composition } from '@bowyer/config';
import { camelKeys } from '@bowyer/core';
import type { AshaSourceOptions } from './asha-source.js';

const ITERATIONS = 'algorithm.iterations';

/**
 * Checks that each rung ends with an evaluation, whose metric is then compared.
 *
 * @throws {ConfigError} if the metrics of trials at a rung could not be compared
 */
export function checkRungs(job: Composition, { resourceKey, metric, rungs }: AshaSourceOptions): void {
  if (job.pathOf(resourceKey) !== ITERATIONS) return;
  const evalFreq = job.setting('algorithm.eval.freq');
  const between = rungs.find((rung) => typeof evalFreq === 'number' && rung % evalFreq !== 0);
  if (/^(.*:)?eval\//.test(metric) && between !== undefined)
    throw new ConfigError(
      'sweep',
      `a rung ends after ${between} iterations, but ${metric} is measured every ${String(evalFreq)} (algorithm.eval.freq): the figure compared would be older`,
      [`rungs: ${rungs.join(', ')}`, 'choose an algorithm.eval.freq that divides them all, or other resources'],
      { keyPath: 'algorithm.eval.freq' },
    );
  const options = camelKeys(job.setting('algorithm')) as { actor?: { schedule?: IterationSchedule } };
  const schedule = options.actor?.schedule;
  if (schedule && rateFollowsIterations(schedule))
    throw new ConfigError(
      'sweep',
      "the policy's rate follows the number of iterations, which grows from rung to rung: a promoted trial could not be resumed",
      ['write algorithm.actor.schedule.kind=constant, or algorithm.actor.schedule.final_share=1'],
      { keyPath: 'algorithm.actor.schedule' },
    );
  const warmup = algorithmOf(job)?.frozenIterations?.(options) ?? 0;
  if (rungs[0] <= warmup)
    throw new ConfigError(
      'sweep',
      `the first rung ends after ${rungs[0]} iterations, but the policy is frozen for ${warmup} (algorithm.actor.warmup_iterations): all trials would be equal there`,
      ['raise sweeper.min_resource above algorithm.actor.warmup_iterations, or lower that'],
      { keyPath: 'sweeper.min_resource' },
    );
}

function algorithmOf(job: Composition): AnyAlgorithm | undefined {
  const name = job.setting('algorithm.name');
  return typeof name === 'string' ? findAlgorithm(name) : undefined;
}
