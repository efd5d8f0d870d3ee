// Implements the config node `guard`, which stops a run whose policy has collapsed: after each iteration, the metrics are
// compared with bounds.
import type { Metrics } from '@bowyer/algorithms';
import { changeableOnResume, fraction, group, optional, positive, oneProblem, type ConfigProblem } from '@bowyer/core';

export interface GuardBounds {
  minEntropy: number | null;
  maxInvalidShare: number | null;
  maxKl: number | null;
}

const off = 'null: no bound';

/** Results do not depend on these options, so that a stopped run can be resumed with other bounds. */
export const guardNode = changeableOnResume(
  group(
    {
      min_entropy: optional(positive, `smallest rollout/utterance_entropy in nats per utterance; ${off}`),
      max_invalid_share: optional(
        fraction,
        `largest rollout/invalid_share, the share of turns without a valid action; ${off}`,
      ),
      max_kl: optional(positive, `largest diagnostics/kl_to_start, in nats per token; ${off}`),
    },
    'bounds beyond which a run is stopped, with a checkpoint and the reason (docs/diagnostics.md)',
  ),
);

/** For each bound, the metric that it limits, and a function that returns whether a value is beyond the bound. */
const rules = {
  minEntropy: {
    key: 'min_entropy',
    metric: 'rollout/utterance_entropy',
    isBeyond: (x: number, bound: number) => x < bound,
  },
  maxInvalidShare: {
    key: 'max_invalid_share',
    metric: 'rollout/invalid_share',
    isBeyond: (x: number, bound: number) => x > bound,
  },
  maxKl: { key: 'max_kl', metric: 'diagnostics/kl_to_start', isBeyond: (x: number, bound: number) => x > bound },
} as const;

/**
 * Compares the metrics of an iteration with the bounds of the config node `guard`.
 *
 * @returns why the run should be stopped; null if it may continue
 * @throws if a bound is given for a metric that the run does not have
 */
export function guardReason(metrics: Metrics, bounds: GuardBounds): string | null {
  for (const [name, { key, metric, isBeyond }] of Object.entries(rules)) {
    const bound = bounds[name as keyof GuardBounds];
    if (bound === null) continue;
    const value = metrics[metric];
    if (value === undefined)
      throw new Error(`guard.${key}=${bound}: this run does not measure ${metric}\n  write guard.${key}=null`);
    if (isBeyond(value, bound)) return `${metric} is ${Number(value.toPrecision(4))}, beyond guard.${key}=${bound}`;
  }
  return null;
}

export function guardProblems(guard: GuardBounds, diagnostics: { turns: number; klToStart: boolean }): ConfigProblem[] {
  if (guard.maxKl === null || (diagnostics.klToStart && diagnostics.turns > 0)) return [];
  return oneProblem(
    'guard.max_kl',
    `guard.max_kl=${guard.maxKl}: the KL to the start is not measured`,
    'write diagnostics.kl_to_start=true with diagnostics.turns above 0, or guard.max_kl=null',
  );
}
