// Makes the config of a run with all interpolations resolved, in snake_case as in files and in camelCase as the code reads it.
import type { TObject, TSchema } from '@sinclair/typebox';
import { camelKeys, toSnakeCase } from '@bowyer/core';

export interface ResolvedConfig {
  /** The config in snake_case, for loggers. */
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The config in camelCase. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The part that the run's numbers depend on. A run is resumed only with an equal part. */
  readonly decisive: Readonly<Record<string, unknown>>;
}

/** Derives the values of a config. @param nodes a config that this schema has accepted */
export function resolvedConfig(nodes: Readonly<Record<string, unknown>>, schema: TObject): ResolvedConfig {
  const values = camelKeys(nodes) as Record<string, unknown>;
  return { nodes, values, decisive: decisivePart(values, schema) };
}

/** Removes options whose schema says `decides: false`. `iterations` may grow in a resumed run. */
function decisivePart(values: Record<string, unknown>, { properties }: TObject): Record<string, unknown> {
  const kept = Object.entries(values).flatMap(([key, value]) => {
    const own = (properties as Record<string, TSchema>)[toSnakeCase(key)];
    if (own?.decides === false) return [];
    const isTree = value !== null && typeof value === 'object' && !Array.isArray(value);
    return [[key, isTree && own?.properties ? decisivePart(value as Record<string, unknown>, own as TObject) : value]];
  });
  return Object.fromEntries(kept) as Record<string, unknown>;
}
