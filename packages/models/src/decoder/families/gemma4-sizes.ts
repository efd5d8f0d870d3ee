// Reads the head sizes and rotary positions of Gemma 4, which differ between layers with full attention and layers with a sliding
// window.
import type { ConfigJson } from '@bowyer/checkpoints';
import { rotaryFrequencies, type RotaryFrequencies } from '../../layers/rotary-frequencies.js';
import type { FamilyConfig, LayerKind } from '../family.js';
import type { HeadSizes } from '../self-attention.js';

/** Reads a layer's head sizes from `per_layer_config` (newer files), or `global_head_dim` and `num_global_key_value_heads`. */
export function headSizes(config: FamilyConfig, kind: LayerKind, layer: number): HeadSizes {
  const { fields, sizes, json } = config;
  const { heads, keyValueHeads, headSize } = sizes;
  if (json.per_layer_config) return ownHeadSizes(config, layer);
  const keysAreValues = fields.flag('attention_k_eq_v');
  if (kind === 'sliding_attention') return { heads, keyValueHeads, headSize };
  const hasOwnCount = keysAreValues && fields.value('num_global_key_value_heads') !== undefined;
  const count = hasOwnCount ? fields.count('num_global_key_value_heads') : keyValueHeads;
  if (heads % count !== 0)
    throw fields.error('num_global_key_value_heads', `is ${count}, which does not divide ${heads} heads`);
  const hasOwnSize = fields.value('global_head_dim') !== undefined;
  return { heads, keyValueHeads: count, headSize: hasOwnSize ? fields.count('global_head_dim') : headSize };
}

function ownHeadSizes({ fields, sizes, json }: FamilyConfig, layer: number): HeadSizes {
  const { heads, keyValueHeads, headSize } = sizes;
  const own = (json.per_layer_config as Record<string, ConfigJson | undefined>)[String(layer)] ?? {};
  const { head_dim = headSize, num_key_value_heads = keyValueHeads, ...others } = own;
  const fits = isCount(head_dim) && isCount(num_key_value_heads) && heads % num_key_value_heads === 0;
  if (!fits || Object.keys(others).length > 0)
    throw fields.error(
      `per_layer_config.${layer}`,
      'must have head_dim and num_key_value_heads alone, with sizes that fit',
    );
  return { heads, headSize: head_dim, keyValueHeads: num_key_value_heads };
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0;

/** Returns the rotary frequencies for each kind of layer (full attention or sliding window) that the model has. */
export function rotariesByKind(
  config: FamilyConfig,
  kinds: readonly LayerKind[],
  sizes: readonly HeadSizes[],
): Partial<Record<LayerKind, RotaryFrequencies>> {
  const { fields, type } = config;
  const given = (fields.value('rope_parameters') ?? {}) as Partial<Record<LayerKind, ConfigJson>>;
  const of = (kind: LayerKind): RotaryFrequencies => {
    const widths = new Set(sizes.flatMap(({ headSize }, layer) => (kinds[layer] === kind ? [headSize] : [])));
    const [rotaryDims] = widths;
    if (widths.size > 1 || rotaryDims % 2 !== 0)
      throw fields.error('head_dim', `of layers of ${kind} must be one even number, not ${[...widths].join(', ')}`);
    const scaling = given[kind];
    if (scaling === undefined) throw fields.error('rope_parameters', `has nothing of ${kind}`);
    const share = scaling.partial_rotary_factor ?? 1;
    if (scaling.rope_type !== 'proportional' && share !== 1)
      throw fields.error(
        `rope_parameters.${kind}.partial_rotary_factor`,
        'is read with the rope_type "proportional" alone',
      );
    const trainedLength = fields.count('max_position_embeddings');
    return rotaryFrequencies(type, { rope_parameters: scaling }, { rotaryDims, defaultBase: 1e4, trainedLength });
  };
  return Object.fromEntries([...new Set(kinds)].map((kind) => [kind, of(kind)]));
}
