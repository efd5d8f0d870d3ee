// Reads the settings of DeBERTa v2 and v3 in config.json that BERT does not have. Source: He et al. 2021 (arXiv:2111.09543).
import type { ConfigFields, ConfigJson } from '@bowyer/checkpoints';
import { activationNames, type ActivationName } from '../layers/activations.js';

export interface DebertaSettings {
  /** Whether a table of absolute positions is added to the word embeddings. */
  absolutePositions: boolean;
  /** Whether scores have the terms query content · relative position ("c2p") and relative position · key content ("p2c"). */
  contentToPosition: boolean;
  positionToContent: boolean;
  /** The relative positions; null: no terms for them, and yet the scores are divided by the number of terms. */
  relative: {
    /** The number of buckets: distances up to half of it have a bucket each, larger ones share logarithmic buckets; 0: no buckets. */
    buckets: number;
    maxDistance: number;
    /** Whether relative positions are projected by the query and key projections instead of separate ones. */
    sharedMaps: boolean;
    /** Whether the embeddings of relative positions are normalised. */
    normalized: boolean;
  } | null;
  poolerActivation: ActivationName;
  /** Whether the masked-LM head has the parameter names of the older code. */
  legacyHead: boolean;
}

export const debertaDefaults: ConfigJson = {
  layer_norm_eps: 1e-7,
  type_vocab_size: 0,
  relative_attention: false,
  max_relative_positions: -1,
  position_buckets: -1,
  position_biased_input: true,
  share_att_key: false,
  norm_rel_ebd: 'none',
  pooler_hidden_act: 'gelu',
  legacy: true,
};

export function debertaFromJson(
  fields: ConfigFields,
  { hiddenSize, numHeads, maxPositions }: { hiddenSize: number; numHeads: number; maxPositions: number },
): DebertaSettings {
  fields.refuse('embedding_size', hiddenSize);
  fields.refuse('pooler_hidden_size', hiddenSize);
  fields.refuse('attention_head_size', hiddenSize / numHeads);
  fields.refuse('conv_kernel_size', 0);
  const kinds = attentionKinds(fields);
  return {
    absolutePositions: fields.flag('position_biased_input'),
    contentToPosition: kinds.includes('c2p'),
    positionToContent: kinds.includes('p2c'),
    relative: fields.flag('relative_attention')
      ? {
          buckets: Math.max(0, wholeNumber(fields, 'position_buckets')),
          maxDistance: positiveOr(maxPositions, wholeNumber(fields, 'max_relative_positions')),
          sharedMaps: fields.flag('share_att_key'),
          normalized: namesOf(fields.value('norm_rel_ebd')).includes('layer_norm'),
        }
      : null,
    poolerActivation: fields.choice('pooler_hidden_act', activationNames),
    legacyHead: fields.flag('legacy'),
  };
}

export function debertaToJson({ relative, ...settings }: DebertaSettings): ConfigJson {
  return {
    position_biased_input: settings.absolutePositions,
    pooler_hidden_act: settings.poolerActivation,
    legacy: settings.legacyHead,
    relative_attention: relative !== null,
    pos_att_type: [...(settings.positionToContent ? ['p2c'] : []), ...(settings.contentToPosition ? ['c2p'] : [])],
    ...(relative && {
      position_buckets: relative.buckets || -1,
      max_relative_positions: relative.maxDistance,
      share_att_key: relative.sharedMaps,
      norm_rel_ebd: relative.normalized ? 'layer_norm' : 'none',
    }),
  };
}

/** Reads `pos_att_type`: a list, or in older files names separated by `|`. */
function attentionKinds(fields: ConfigFields): string[] {
  const value = fields.value('pos_att_type') ?? [];
  const kinds = Array.isArray(value) ? (value as unknown[]).map(String) : namesOf(value);
  const unknown = kinds.find((kind) => kind !== 'c2p' && kind !== 'p2c');
  if (unknown !== undefined) throw fields.error('pos_att_type', `contains "${unknown}"; known: c2p, p2c`);
  return kinds;
}

const namesOf = (value: unknown): string[] =>
  String(value)
    .toLowerCase()
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function wholeNumber(fields: ConfigFields, field: string): number {
  const value = fields.value(field);
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw fields.error(field, `must be an integer, not ${JSON.stringify(value)}`);
  return value;
}

const positiveOr = (otherwise: number, value: number) => (value < 1 ? otherwise : value);
