// Reads which layers are attention and which are recurrent from `layer_types`.
import type { FamilyConfig } from '../family.js';

/**
 * Returns the kind of each layer.
 *
 * @param known the kinds that the family has
 * @param kindOf returns the kind of a layer if the file has no `layer_types`; if omitted, the file must have it
 */
export function mixerKinds<Kind extends string>(
  { fields, sizes }: FamilyConfig,
  known: readonly Kind[],
  kindOf?: (layer: number) => Kind,
): Kind[] {
  const kinds = fields.value('layer_types');
  if (kinds === undefined && kindOf) return Array.from({ length: sizes.layers }, (_, layer) => kindOf(layer));
  if (!Array.isArray(kinds) || kinds.length !== sizes.layers)
    throw fields.error('layer_types', `must list the kind of each of the ${sizes.layers} layers`);
  const unknown: unknown = kinds.find((kind) => !known.includes(kind as Kind));
  if (unknown !== undefined)
    throw fields.error(
      'layer_types',
      `has ${JSON.stringify(unknown)}, which is not supported; known: ${known.join(', ')}`,
    );
  return kinds as Kind[];
}
