// Declares the signature of Jinja filters, such as `upper` in `{{ name | upper }}`.
import type { CallArguments } from './call-arguments.js';
import type { Value } from './values.js';

/** Applies a filter or a test by name; filters such as `map` and `select` take such a name as an argument. */
export interface Named {
  filter: (name: string, value: Value, args: readonly Value[], named: ReadonlyMap<string, Value>) => Value;
  test: (name: string, value: Value, args: readonly Value[]) => boolean;
}

export type Filter = (value: Value, args: CallArguments, named: Named) => Value;
