// A filter of a template.
import type { CallArguments } from './call-arguments.js';
import type { Value } from './values.js';

/** Applies a filter or a test by name, for filters such as `map` and `select` whose arguments name one. */
export interface Named {
  filter: (name: string, value: Value, args: readonly Value[], named: ReadonlyMap<string, Value>) => Value;
  test: (name: string, value: Value, args: readonly Value[]) => boolean;
}

export type Filter = (value: Value, args: CallArguments, named: Named) => Value;
