// Declares the options of the policy's update that algorithms share, and computes its learning rate in an iteration.
import { Type, type TProperties } from '@sinclair/typebox';
import {
  choice,
  flag,
  fraction,
  group,
  integer,
  positive,
  scheduledRate,
  type ConfigProblem,
  type LearningRateSchedule,
} from '@bowyer/core';

/** The defaults that differ between algorithms. */
interface ActorDefaults {
  lr: number;
  schedule?: Partial<LearningRateSchedule>;
}

/**
 * Declares a schedule of the learning rate.
 *
 * @param unit names what the schedule counts
 */
const scheduleGroup = (
  unit: string,
  { kind = 'linear', warmupSteps = 0, finalShare = 1 }: Partial<LearningRateSchedule>,
  flat: { flat?: string },
) =>
  group(
    {
      kind: choice(['constant', 'linear', 'cosine'], kind, 'the learning rate after the warm-up'),
      warmup_steps: Type.Integer({
        default: warmupSteps,
        description: `${unit} of linear warm-up; negative: a tenth of all of them`,
      }),
      final_share: fraction(finalShare, 'last learning rate as a share of the peak; 1: constant', flat),
    },
    `learning-rate schedule of the policy over the ${unit}`,
    { flat: 'lm_schedule' },
  );

/** Declares the options of the policy's update. @param unit names what the schedule of the learning rate counts */
const actorGroup = <Members extends TProperties>(
  unit: string,
  { lr, schedule = {} }: ActorDefaults,
  members: Members,
  flat: { flat?: string } = {},
) =>
  group(
    {
      lr: positive(lr, 'peak learning rate of the policy', { flat: 'lm_lr' }),
      schedule: scheduleGroup(unit, schedule, flat),
      max_grad_norm: positive(1, 'upper bound of the global norm of the policy gradient', { flat: 'max_grad_norm' }),
      score_terminator: flag(true, 'train the token that ends an utterance too; false: as in ArCHer', {
        flat: 'score_terminator',
      }),
      ...members,
    },
    'the update of the policy',
  );

/**
 * Declares the policy's update in an algorithm whose learning rate depends on the iteration.
 *
 * @param members further options of the update
 */
export const onlineActor = <Members extends TProperties>(defaults: ActorDefaults, members: Members) =>
  actorGroup('iterations', defaults, members, { flat: 'lm_lr_final_share' });

/** Declares the policy's update in an algorithm that does not train the policy in its first iterations. */
export const warmedUpActor = <Members extends TProperties>(
  { warmupIterations, ...defaults }: ActorDefaults & { warmupIterations: number },
  members: Members,
) =>
  actorGroup(
    'iterations after algorithm.actor.warmup_iterations',
    defaults,
    {
      warmup_iterations: integer(warmupIterations, 'iterations at the start in which the policy is not trained', {
        minimum: 0,
        flat: 'warmup_iter',
      }),
      ...members,
    },
    { flat: 'lm_lr_final_share' },
  );

/**
 * Declares the policy's update in an algorithm whose learning rate depends on the optimizer step.
 *
 * @param unit names these optimizer steps
 */
export const steppedActor = <Members extends TProperties>(
  defaults: ActorDefaults,
  members: Members,
  unit = 'optimizer steps',
) => actorGroup(unit, defaults, members);

interface PolicyRateOptions {
  iterations: number;
  actor: { lr: number; schedule: LearningRateSchedule; warmupIterations?: number };
}

/** Returns the policy's learning rate in an iteration. The first step of the schedule is the first iteration that trains the policy. */
export function policyRate(iteration: number, { iterations, actor }: PolicyRateOptions): number {
  const { lr, schedule, warmupIterations = 0 } = actor;
  const totalSteps = Math.max(1, iterations - 1 - warmupIterations);
  return scheduledRate(lr, iteration - warmupIterations, totalSteps, schedule);
}

/**
 * Returns whether the learning rate of an iteration depends on the number of iterations, so that a run which is continued differs
 * from a single longer run.
 */
export const rateFollowsIterations = ({ kind, warmupSteps, finalShare }: LearningRateSchedule): boolean =>
  warmupSteps < 0 || (kind !== 'constant' && finalShare !== 1);

/** Reports a warm-up that takes all iterations, so that the policy is never trained. */
export function neverTrains({
  iterations,
  actor: { warmupIterations },
}: {
  iterations: number;
  actor: { warmupIterations: number };
}): ConfigProblem[] {
  if (warmupIterations < iterations) return [];
  const key = 'algorithm.actor.warmup_iterations';
  const message = `${key}=${warmupIterations} leaves no iteration of ${iterations} in which the policy trains`;
  return [{ key, message, remedy: `lower ${key} or raise algorithm.iterations` }];
}
