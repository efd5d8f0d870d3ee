// Makes the config of a run with all interpolations resolved: in snake_case as in config files, and in camelCase as the code
// reads it.
import type { TObject, TSchema } from '@sinclair/typebox';
import { camelKeys, toSnakeCase } from '@bowyer/core';

export interface ResolvedConfig {
  /** The resolved config in snake_case, for loggers. */
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The resolved config in camelCase, as the code reads it. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The options on which the run's results depend. A run is resumed only if they are unchanged. */
  readonly decisive: Readonly<Record<string, unknown>>;
}

/** @param nodes a config that the schema has accepted */
export function resolvedConfig(nodes: Readonly<Record<string, unknown>>, schema: TObject): ResolvedConfig {
  const values = camelKeys(nodes) as Record<string, unknown>;
  return { nodes, values, decisive: decisivePart(values, schema) };
}

/** Removes options with `decides: false` in their schema, and `iterations`, since a resumed run may have more. */
function decisivePart(values: Record<string, unknown>, { properties }: TObject): Record<string, unknown> {
  const kept = Object.entries(values).flatMap(([key, value]) => {
    const own = (properties as Record<string, TSchema>)[toSnakeCase(key)];
    if (own?.decides === false) return [];
    const isTree = value !== null && typeof value === 'object' && !Array.isArray(value);
    return [[key, isTree && own?.properties ? decisivePart(value as Record<string, unknown>, own as TObject) : value]];
  });
  return Object.fromEntries(kept) as Record<string, unknown>;
}
