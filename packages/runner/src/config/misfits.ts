// If another algorithm than that of a primary config is chosen, the value of a key in the config or its preset may have a meaning that the
// algorithm does not know, such as a fraction of an epoch where it counts iterations. Its own value is taken then.
import type { TObject, TSchema } from '@sinclair/typebox';
import { findViolations } from '@bowyer/config';
import { schemaOf, unknownUnit } from './units.js';
import type { Implied, Rule } from './implied-rule.js';

export const misfits: Rule = async (read, { isTyped }, composition) => {
  if (unknownUnit(composition) !== undefined) return [];
  const properties = singleValues(schemaOf(composition));
  const violations = await findViolations(composition, { type: 'object', properties });
  return violations.flatMap(({ keyPath }): Implied[] => {
    const property = properties[keyPath];
    if (property === undefined || isTyped(keyPath)) return [];
    const own = composition.origin(keyPath).find(({ value }, i) => i > 0 && fits(value, property));
    if (own === undefined) return [];
    return [
      { word: `${keyPath}=${String(own.value)}`, why: `${keyPath}=${String(read(keyPath))} is for another algorithm` },
    ];
  });
};

/**
 * The keys of a schema that hold a single value, not a node. The config still has what other algorithms read, so that the whole schema
 * would be broken each time, and to report that takes longer than the rest of a composition.
 */
const singleValues = ({ properties }: TObject): Record<string, TSchema | undefined> =>
  Object.fromEntries(
    Object.entries(properties as Record<string, TSchema>).filter(([, part]) => !('properties' in part)),
  );

/** Only numbers are compared: other values are names, which one algorithm understands as another does. */
const fits = (value: unknown, { type, minimum = -Infinity, exclusiveMinimum = -Infinity }: TSchema): boolean =>
  typeof value === 'number' &&
  (type !== 'integer' || Number.isInteger(value)) &&
  value >= (minimum as number) &&
  value > (exclusiveMinimum as number);
