// The part of a config that decides a run's numbers: a run is resumed only with the same.
import type { TObject, TSchema } from '@sinclair/typebox';
import { toSnakeCase } from '@bowyer/core';

/** Leaves out keys whose schema says `decides: false`. `iterations` may grow: the run then continues from where it was. */
export function decisivePart(config: Record<string, unknown>, schema: TObject): Record<string, unknown> {
  const kept = Object.entries(config).flatMap(([key, value]) => {
    const own = (schema.properties as Record<string, TSchema | undefined>)[toSnakeCase(key)];
    if (own?.decides === false) return [];
    const isNode = value !== null && typeof value === 'object' && !Array.isArray(value) && own?.properties;
    return [[key, isNode ? decisivePart(value as Record<string, unknown>, own as TObject) : value] as const];
  });
  return Object.fromEntries(kept);
}
