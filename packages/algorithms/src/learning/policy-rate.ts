// Declares the options of the policy's update that algorithms share, and computes its learning rate in an iteration.
import { Type, type TObject, type TProperties } from '@sinclair/typebox';
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

/** A learning-rate schedule that counts iterations instead of optimizer steps. */
export interface IterationSchedule extends Omit<LearningRateSchedule, 'warmupSteps'> {
  /** The number of iterations until the peak; negative: a tenth of all iterations, rounded down. */
  warmupIterations: number;
}

const scheduleKind = (kind: LearningRateSchedule['kind']) =>
  choice(['constant', 'linear', 'cosine'], kind, 'the learning rate after the warm-up');

const finalShareOption = (value: number, flat: { flat?: string } = {}) =>
  fraction(value, 'last learning rate as a share of the peak; 1: constant', flat);

/** Declares the number of warm-up steps or iterations. @param unit names, in the description, what is counted */
const warmupOption = (value: number, unit: string, flat: { flat?: string[] } = {}) =>
  Type.Integer({
    default: value,
    description: `${unit} of linear warm-up of the learning rate; negative: a tenth of all of them`,
    ...flat,
  });

const scheduleGroup = <Members extends TProperties>(unit: string, members: Members) =>
  group(members, `learning-rate schedule of the policy over the ${unit}`, { flat: 'lm_schedule' });

const iterationSchedule = (unit: string) =>
  scheduleGroup(unit, {
    kind: scheduleKind('linear'),
    warmup_iterations: warmupOption(0, unit, {
      flat: ['lm_schedule.warmup_steps', 'algorithm.actor.schedule.warmup_steps'],
    }),
    final_share: finalShareOption(1, { flat: 'lm_lr_final_share' }),
  });

const actorGroup = <Schedule extends TObject, Members extends TProperties>(
  lr: number,
  schedule: Schedule,
  members: Members,
) =>
  group(
    {
      lr: positive(lr, 'peak learning rate of the policy', { flat: 'lm_lr' }),
      schedule,
      max_grad_norm: positive(1, 'upper bound of the global norm of the policy gradient', { flat: 'max_grad_norm' }),
      score_terminator: flag(true, 'train the token that ends an utterance too; false: as in ArCHer', {
        flat: 'score_terminator',
      }),
      ...members,
    },
    'the update of the policy',
  );

/** Declares the policy's update in an algorithm whose learning rate depends on the iteration. */
export const onlineActor = <Members extends TProperties>({ lr }: { lr: number }, members: Members) =>
  actorGroup(lr, iterationSchedule('iterations'), members);

/** Declares the policy's update in an algorithm that does not train the policy in its first iterations. */
export const warmedUpActor = <Members extends TProperties>(
  { lr, warmupIterations }: { lr: number; warmupIterations: number },
  members: Members,
) =>
  actorGroup(lr, iterationSchedule('iterations after algorithm.actor.warmup_iterations'), {
    warmup_iterations: integer(warmupIterations, 'iterations at the start in which the policy is not trained', {
      minimum: 0,
      flat: 'warmup_iter',
    }),
    ...members,
  });

/** The learning rate depends on the optimizer step. `unit` names, in descriptions, what the schedule counts. */
export const steppedActor = <Members extends TProperties>(
  { lr, schedule = {} }: { lr: number; schedule?: Partial<LearningRateSchedule> },
  members: Members,
  unit = 'optimizer steps',
) => {
  const { kind = 'linear', warmupSteps = 0, finalShare = 1 } = schedule;
  const options = {
    kind: scheduleKind(kind),
    warmup_steps: warmupOption(warmupSteps, unit),
    final_share: finalShareOption(finalShare),
  };
  return actorGroup(lr, scheduleGroup(unit, options), members);
};

interface PolicyRateOptions {
  iterations: number;
  actor: { lr: number; schedule: IterationSchedule; warmupIterations?: number };
}

/** Returns the policy's learning rate in an iteration. The first step of the schedule is the first iteration that trains the policy. */
export function policyRate(iteration: number, { iterations, actor }: PolicyRateOptions): number {
  const { lr, schedule, warmupIterations = 0 } = actor;
  const total = Math.max(1, iterations - 1 - warmupIterations);
  const steps = { ...schedule, warmupSteps: schedule.warmupIterations };
  return scheduledRate(lr, iteration - warmupIterations, total, steps);
}

/**
 * Returns whether an iteration's learning rate depends on the number of iterations, so that a continued run differs from a longer
 * one.
 */
export const rateFollowsIterations = ({ kind, warmupIterations, finalShare }: IterationSchedule): boolean =>
  warmupIterations < 0 || (kind !== 'constant' && finalShare !== 1);

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
