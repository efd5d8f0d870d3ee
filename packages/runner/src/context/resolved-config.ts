// The config of a run once everything in it is resolved: as it was typed, and the part of it that decides the run's numbers.
import type { TObject, TSchema } from '@sinclair/typebox';
import { camelKeys, toSnakeCase } from '@bowyer/core';

export interface ResolvedConfig {
  /** The config with its keys as they are typed, for loggers and other ranks. */
  readonly typed: Readonly<Record<string, unknown>>;
  /** The part that decides the run's numbers, in camelCase: a run is resumed only with the same. */
  readonly decisive: Readonly<Record<string, unknown>>;
}

/** @param typed a config that `schema` has accepted */
export const resolvedConfig = (typed: Readonly<Record<string, unknown>>, schema: TObject): ResolvedConfig => ({
  typed,
  decisive: decisivePart(valuesOf(typed), schema),
});

/**
 * The values that a task reads, in camelCase, as a copy of its own. The other name of `eval_decoding` is gone, and `as_trained`, which
 * takes other keys from a run: a run is the same however they were given.
 */
export function valuesOf(typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { evalDoSample = null, asTrained: _, ...values } = camelKeys(typed) as Record<string, unknown>;
  return evalDoSample === null ? values : { ...values, evalDecoding: evalDoSample === true ? 'sample' : 'greedy' };
}

/** Leaves out keys whose schema says `decides: false`. `iterations` may grow: the run then continues from where it was. */
function decisivePart(values: Record<string, unknown>, schema: TObject): Record<string, unknown> {
  const kept = Object.entries(values).flatMap(([key, value]) => {
    const own = (schema.properties as Record<string, TSchema | undefined>)[toSnakeCase(key)];
    if (own?.decides === false) return [];
    const isNode = value !== null && typeof value === 'object' && !Array.isArray(value) && own?.properties;
    return [[key, isNode ? decisivePart(value as Record<string, unknown>, own as TObject) : value] as const];
  });
  return Object.fromEntries(kept);
}
