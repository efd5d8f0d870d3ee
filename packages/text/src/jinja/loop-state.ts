import { TemplateError } from './template-error.js';
import { Attributes, Callable, equals, Undefined, type Value } from './values.js';

/**
 * `recurse` runs the body over other items, as `loop(items)` does; null if the loop is not recursive. `advance` goes to the next
 * iteration.
 */
export function loopState(
  items: readonly Value[],
  depth: number,
  recurse: ((items: Value) => Value) | null,
): { loop: Attributes; advance: (index: number) => void } {
  let index = 0;
  let last: readonly Value[] | null = null;
  const values = new Map<string, Value>();
  values
    .set('length', items.length)
    .set('depth', depth + 1)
    .set('depth0', depth);
  values.set(
    'cycle',
    new Callable('loop.cycle', (choices) =>
      choices.length > 0 ? choices[index % choices.length] : fail('cycle needs values'),
    ),
  );
  values.set(
    'changed',
    new Callable('loop.changed', (given) => {
      const isSame = last !== null && last.length === given.length && last.every((value, i) => equals(value, given[i]));
      last = given;
      return !isSame;
    }),
  );
  const call = ([further = null]: readonly Value[]) =>
    recurse === null ? fail('loop(…) needs a loop that is recursive') : recurse(further);
  const advance = (at: number) => {
    index = at;
    values
      .set('index', at + 1)
      .set('index0', at)
      .set('first', at === 0)
      .set('last', at === items.length - 1);
    values.set('revindex', items.length - at).set('revindex0', items.length - at - 1);
    values.set('previtem', at > 0 ? items[at - 1] : new Undefined('there is no previous item'));
    values.set('nextitem', at + 1 < items.length ? items[at + 1] : new Undefined('there is no next item'));
  };
  return { loop: new Attributes(values, false, call), advance };
}

function fail(problem: string): never {
  throw new TemplateError(problem);
}
