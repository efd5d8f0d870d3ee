// Makes the goal condition and the English goal text of each of the six task types.
import type { Formula, Variable } from './formula.js';
import { indefinite } from './wording.js';
import type { Task } from './problem.js';

const fact = (predicate: string, ...terms: string[]): Formula => ({ kind: 'fact', predicate, terms });
const and = (...parts: Formula[]): Formula => ({ kind: 'and', parts });
const variable = (name: string, type: string): Variable => ({ name, type });

/** The state that the thing must have, by task type. */
const states: Partial<Record<Task['type'], { predicate: string; adjective: string; verb: string }>> = {
  pick_clean_then_place_in_recep: { predicate: 'isclean', adjective: 'clean', verb: 'clean' },
  pick_heat_then_place_in_recep: { predicate: 'ishot', adjective: 'hot', verb: 'heat' },
  pick_cool_then_place_in_recep: { predicate: 'iscool', adjective: 'cool', verb: 'cool' },
};

export function goalOf({ type, object, target }: Task): Formula {
  if (type === 'look_at_obj_in_light') return lightGoal(object, target);
  if (type === 'pick_two_obj_and_place') return twoGoal(object, target);
  const state = states[type];
  return {
    kind: 'exists',
    variables: [variable('?r', 'receptacle')],
    part: and(fact('receptacletype', '?r', target), {
      kind: 'exists',
      variables: [variable('?o', 'object')],
      part: and(
        fact('objecttype', '?o', object),
        fact('inreceptacle', '?o', '?r'),
        ...(state ? [fact(state.predicate, '?o')] : []),
      ),
    }),
  };
}

/** Returns the goal condition that the agent holds the object at the place of a lamp that was switched on. */
function lightGoal(object: string, lamp: string): Formula {
  return and(
    {
      kind: 'exists',
      variables: [variable('?l', 'object'), variable('?a', 'agent')],
      part: and(fact('objecttype', '?l', lamp), fact('istoggled', '?l'), {
        kind: 'exists',
        variables: [variable('?p', 'location')],
        part: and(fact('objectatlocation', '?l', '?p'), fact('atlocation', '?a', '?p')),
      }),
    },
    {
      kind: 'exists',
      variables: [variable('?o', 'object'), variable('?a', 'agent')],
      part: and(fact('objecttype', '?o', object), fact('holds', '?a', '?o')),
    },
  );
}

function twoGoal(object: string, target: string): Formula {
  return {
    kind: 'exists',
    variables: [variable('?r', 'receptacle')],
    part: and(fact('receptacletype', '?r', target), {
      kind: 'exists',
      variables: [variable('?o1', 'object')],
      part: and(fact('objecttype', '?o1', object), fact('inreceptacle', '?o1', '?r'), {
        kind: 'exists',
        variables: [variable('?o2', 'object')],
        part: and(fact('objecttype', '?o2', object), fact('inreceptacle', '?o2', '?r'), {
          kind: 'not',
          part: { kind: 'equal', left: '?o1', right: '?o2' },
        }),
      }),
    }),
  };
}

export function goalText({ type, object, target }: Task, wording: 0 | 1): string {
  if (type === 'look_at_obj_in_light')
    return [
      `look at ${indefinite(object)} by the light of the ${target}`,
      `hold ${indefinite(object)} under the ${target}`,
    ][wording];
  if (type === 'pick_two_obj_and_place')
    return [`bring two ${object} to the same ${target}`, `find two ${object} and put both in/on one ${target}`][
      wording
    ];
  const state = states[type];
  if (!state)
    return [`put ${indefinite(object)} in/on ${indefinite(target)}`, `bring some ${object} to ${indefinite(target)}`][
      wording
    ];
  return [
    `put ${indefinite(`${state.adjective} ${object}`)} in/on ${indefinite(target)}`,
    `${state.verb} some ${object} and put it in/on ${indefinite(target)}`,
  ][wording];
}
