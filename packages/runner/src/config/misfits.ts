// With another algorithm than that of a primary config, what the config or its preset says of a key may have a meaning that the
// algorithm does not know, such as a fraction of an epoch where it counts iterations. Its own value is taken then.
import { findViolations, type Composition } from '@bowyer/config';
import { schemaOf, unknownUnit } from './units.js';
import type { Implied, Rule } from './implied.js';

export const misfits: Rule = async (read, { isTyped, isNested }, composition) => {
  if (isNested || !(isTyped('algorithm') || isTyped('agent_type')) || unknownUnit(composition) !== undefined) return [];
  const schema = schemaOf(composition);
  const violations = await findViolations(composition, schema);
  return violations.flatMap(({ keyPath }): Implied[] => {
    const { value } = ownValue(composition, keyPath) ?? {};
    if (typeof value !== 'number' || isTyped(keyPath) || !(keyPath in schema.properties)) return [];
    return [{ word: `${keyPath}=${value}`, why: `${keyPath}=${String(read(keyPath))} is for another algorithm` }];
  });
};

/** What the algorithm's own file says of a key that another file has changed. */
const ownValue = (composition: Composition, keyPath: string) =>
  composition.origin(keyPath).find(({ source }, i) => i > 0 && /[\\/]algorithm[\\/][\w.-]+\.yaml$/.test(source));
