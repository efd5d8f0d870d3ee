// The policy's learning rate over the iterations of an online algorithm, and the config keys that define it.
import { Type, type TSchema } from '@sinclair/typebox';
import {
  count,
  nullable,
  oneOf,
  rate,
  scheduledRate,
  share,
  type ConfigProblem,
  type LearningRateSchedule,
} from '@bowyer/core';
import { scoreTerminatorKey } from './pack-turns.js';

/** Config keys of a schedule. @param unit what its steps are */
export const rateScheduleSchema = <FinalShare extends TSchema>(unit: string, finalShare: FinalShare) =>
  Type.Object(
    {
      kind: oneOf(['constant', 'linear', 'cosine'], 'the learning rate after the warm-up'),
      warmup_steps: Type.Integer({ description: `${unit} of linear warm-up; negative: a tenth of all of them` }),
      final_share: finalShare,
    },
    { additionalProperties: false, description: `learning-rate schedule of the policy over the ${unit}` },
  );

const ratesOver = (unit: string) => ({
  lm_lr: rate('peak learning rate of the policy'),
  lm_lr_final_share: share('learning rate of the policy in the last iteration, as a share of lm_lr; 1: constant'),
  lm_schedule: rateScheduleSchema(
    unit,
    nullable(
      share('last learning rate as a share of the peak'),
      'last learning rate as a share of the peak; null: lm_lr_final_share',
    ),
  ),
});

/** Config keys of algorithms that train the policy from the first iteration on. */
export const rateKeys = ratesOver('iterations');

export const policyRateKeys = {
  warmup_iter: count('iterations at the start in which the policy is not trained', 0),
  ...ratesOver('iterations after warmup_iter'),
};

/** Config keys of an update with a number of optimizer steps per iteration. */
export const policyKeys = {
  ...policyRateKeys,
  actor_epochs: count('optimizer steps on the policy per iteration'),
  max_grad_norm: rate('upper bound of the global norm of the policy gradient'),
  ...scoreTerminatorKey,
};

export interface PolicyRateOptions {
  iterations: number;
  warmupIter: number;
  lmLr: number;
  lmLrFinalShare: number;
  lmSchedule: Omit<LearningRateSchedule, 'finalShare'> & { finalShare: number | null };
}

/** The policy's learning rate in an iteration. The first step of the schedule is the first iteration after `warmupIter`. */
export function policyRate(iteration: number, options: PolicyRateOptions): number {
  const { lmLr, lmLrFinalShare, warmupIter, iterations, lmSchedule } = options;
  const totalSteps = Math.max(1, iterations - 1 - warmupIter);
  const schedule = { ...lmSchedule, finalShare: lmSchedule.finalShare ?? lmLrFinalShare };
  return scheduledRate(lmLr, iteration - warmupIter, totalSteps, schedule);
}

/** `policyRate` of an algorithm that trains the policy from the first iteration on. */
export const policyRateFromStart = (iteration: number, options: Omit<PolicyRateOptions, 'warmupIter'>): number => {
  const { iterations, lmLr, lmLrFinalShare, lmSchedule } = options;
  return policyRate(iteration, { iterations, lmLr, lmLrFinalShare, lmSchedule, warmupIter: 0 });
};

/** Whether the rate of an iteration depends on how many there are: a run that continues for longer is then not one longer run. */
export const rateFollowsIterations = ({
  lmLrFinalShare,
  lmSchedule: { kind, warmupSteps, finalShare },
}: Pick<PolicyRateOptions, 'lmLrFinalShare' | 'lmSchedule'>): boolean =>
  warmupSteps < 0 || (kind !== 'constant' && (finalShare ?? lmLrFinalShare) !== 1);

/** A problem where the warm-up takes all iterations. */
export function neverTrains({ warmupIter, iterations }: { warmupIter: number; iterations: number }): ConfigProblem[] {
  if (warmupIter < iterations) return [];
  const message = `warmup_iter=${warmupIter} leaves no iteration of ${iterations} in which the policy trains`;
  return [{ key: 'warmup_iter', message, remedy: 'lower warmup_iter or raise iterations' }];
}
