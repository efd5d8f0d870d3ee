// Limits the integers of a valid config to those that a JavaScript number holds exactly, ±(2⁵³ − 1), although a config with
// larger ones can be composed, as in Hydra.
import type { JsonSchema } from './json-schema.js';
import type { ConfigNode } from './node.js';

export interface HugeInteger {
  keys: readonly string[];
  value: bigint;
}

/** Lists the integers of a config that a number does not hold exactly, which are bigint in its nodes. */
export function hugeIntegers(node: ConfigNode, keys: readonly string[]): HugeInteger[] {
  if (node.kind === 'list') return node.items.flatMap((item, index) => hugeIntegers(item, [...keys, String(index)]));
  if (node.kind === 'map')
    return [...node.entries.values()].flatMap(({ key, node: value }) => hugeIntegers(value, [...keys, String(key)]));
  return typeof node.value === 'bigint' ? [{ keys, value: node.value }] : [];
}

const boundedSchemas = new WeakMap<JsonSchema, JsonSchema>();

export function withSafeIntegers(schema: JsonSchema): JsonSchema {
  const known = boundedSchemas.get(schema) ?? (bounded(schema) as JsonSchema);
  boundedSchemas.set(schema, known);
  return known;
}

function bounded(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(bounded);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, bounded(value)]));
  if (copy.type !== 'integer') return copy;
  const { MAX_SAFE_INTEGER: maximum, MIN_SAFE_INTEGER } = Number;
  const lowest = 'exclusiveMinimum' in copy ? {} : { minimum: MIN_SAFE_INTEGER };
  return { ...lowest, ...('exclusiveMaximum' in copy ? {} : { maximum }), ...copy };
}
