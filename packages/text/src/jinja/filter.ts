// A filter of a template.
import type { CallArguments } from './call-arguments.js';
import type { Value } from './values.js';

/** Applies a filter or a test by its name: what `map` and `select` do with their arguments. */
export interface Named {
  filter: (name: string, value: Value, args: readonly Value[], named: ReadonlyMap<string, Value>) => Value;
  test: (name: string, value: Value, args: readonly Value[]) => boolean;
}

export type Filter = (value: Value, args: CallArguments, named: Named) => Value;
