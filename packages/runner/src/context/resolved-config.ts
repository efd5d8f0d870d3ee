// The config of a run once everything in it is resolved: as its nodes are, and the values that its task reads.
import type { TObject, TProperties, TSchema } from '@sinclair/typebox';
import { camelKeys, flatValues, toSnakeCase } from '@bowyer/core';

export interface ResolvedConfig {
  /** The config as a file would have it, for loggers. */
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The values that the task reads, under their flat names in camelCase. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Those of them that decide the run's numbers: a run is resumed only with the same. */
  readonly decisive: Readonly<Record<string, unknown>>;
}

/** Derives the values of a config. @param nodes a config that the schema of these options has accepted */
export function resolvedConfig(nodes: Readonly<Record<string, unknown>>, options: TProperties): ResolvedConfig {
  const values = camelKeys(flatValues(options, nodes)) as Record<string, unknown>;
  return { nodes, values, decisive: decisivePart(values, options) };
}

/** Leaves out options whose schema says `decides: false`. `iterations` may grow: the run then continues from where it was. */
function decisivePart(values: Record<string, unknown>, options: TProperties): Record<string, unknown> {
  const kept = Object.entries(values).flatMap(([key, value]) => {
    const own = options[toSnakeCase(key)] as TSchema | undefined;
    if (own?.decides === false) return [];
    const isNode = value !== null && typeof value === 'object' && !Array.isArray(value) && own?.properties;
    const part = isNode ? decisivePart(value as Record<string, unknown>, (own as TObject).properties) : value;
    return [[key, part] as const];
  });
  return Object.fromEntries(kept);
}
