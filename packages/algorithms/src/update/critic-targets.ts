// What the Q heads regress on, and the config keys that choose it: one-step TD, n steps, or the whole episode.
import { Type } from '@sinclair/typebox';
import { count, nStepReturn, nullable, oneOf, rate, share, type Trajectory, type Transition } from '@bowyer/core';
import type { DoubleCritic } from '@bowyer/models';
import type { ReplayItem } from '../types.js';

export const criticTargetKeys = {
  gamma: share('discount per turn'),
  td_steps: nullable(
    count('turns'),
    'turns of reward in the target of the Q heads, before the value of what follows; 1: TD, as in ArCHer; null: all turns of the episode (Monte Carlo)',
  ),
  bootstrap_on_limit: Type.Boolean({
    description:
      'an episode that a limit outside the task cut has the value of its last observation beyond; false: nothing, as in ArCHer (d = 1)',
  }),
  td_target: oneOf(['own', 'min'], 'a Q head bootstraps from its own target V head, or from the smaller of the two'),
};

/** Upper bound of importance weights, of the algorithms whose policy changes while its utterances are stored. */
export const importanceClipKey = {
  importance_clip: nullable(
    rate('upper bound of an importance weight'),
    'stored utterances of older policies are weighted by how likely the policy makes them now, at most by this; null: not at all, as in ArCHer',
  ),
};

export interface CriticTargetOptions {
  /** Discount per turn. */
  gamma: number;
  /** Null: all turns of the episode. */
  tdSteps: number | null;
  /** Whether an episode that was truncated has a value beyond its end. */
  bootstrapOnLimit: boolean;
  /** `own`: head i bootstraps from target head i. `min`: from the smaller of the two. */
  tdTarget: 'own' | 'min';
}

/** Two heads, or two lists of targets. */
export type Pair = [Float32Array, Float32Array];

/** Each head as it is, or the smaller one for both. */
export function combined(one: Float32Array, two: Float32Array, rule: 'own' | 'min'): Pair {
  if (rule === 'own') return [one, two];
  const smaller = one.map((value, i) => Math.min(value, two[i]));
  return [smaller, smaller];
}

/**
 * Targets of Q1 and Q2 at replayed turns, from the target critic's V heads.
 *
 * @param importance of every turn of the items' episodes: ρ of the later turns, which an older policy chose. With null these turns
 *   count as they are, so that more than one step evaluates the policies that played, not the present one
 * @returns [items] each
 */
export async function qTargets(
  critic: DoubleCritic,
  items: readonly ReplayItem[],
  importance: ReadonlyMap<Trajectory, Float32Array> | null,
  options: CriticTargetOptions,
): Promise<Pair> {
  const ahead = items.map((item) => turnsAhead(item, options.tdSteps));
  // Without weights the values of the turns on the way cancel.
  const states = ahead.map((turns) => (importance === null ? turns.slice(-1) : turns));
  const { v1, v2 } = await critic.evaluate(
    states.flatMap((turns) => turns.map(({ nextObservation }) => nextObservation)),
    null,
    'target',
  );
  const targetsOf = (values: Float32Array) => {
    let next = 0;
    return Float32Array.from(items, ({ trajectory, turn }, i) => {
      const own = [...values.subarray(next, (next += states[i].length))];
      if (endsAfter(ahead[i].at(-1)!, options)) own[own.length - 1] = 0;
      const rewards = ahead[i].map(({ reward }) => reward);
      const nextValues = [...new Array<number>(rewards.length - own.length).fill(NaN), ...own];
      const ratios = importance?.get(trajectory)!.subarray(turn + 1, turn + rewards.length);
      return nStepReturn({ rewards, nextValues, ratios }, options.gamma);
    });
  };
  const [one, two] = combined(v1, v2, options.tdTarget);
  return [targetsOf(one), targetsOf(two)];
}

/** The turn itself and those of its episode that its target looks at. */
const turnsAhead = ({ trajectory, turn }: ReplayItem, steps: number | null): readonly Transition[] =>
  trajectory.transitions.slice(turn, steps === null ? undefined : turn + steps);

/** Whether nothing of value lies beyond a turn. */
const endsAfter = (
  { terminated, truncated }: Transition,
  { bootstrapOnLimit }: Pick<CriticTargetOptions, 'bootstrapOnLimit'>,
): boolean => terminated || (truncated && !bootstrapOnLimit);
