// Reads the settings of ModernBERT in config.json that BERT does not have. Source: Warner et al. 2024 (arXiv:2412.13663).
import { UnsupportedConfigError, type ConfigFields, type ConfigJson } from '@bowyer/checkpoints';
import { isRecord } from '@bowyer/core';
import { activationNames, type ActivationName } from '../layers/activations.js';

export interface ModernBertSettings {
  /** For each layer, whether its tokens attend only to a window around them. */
  localLayers: boolean[];
  /** The largest distance that tokens attend to in local layers, on either side. */
  reach: number;
  /** Bases of the rotary embedding in global and in local layers. */
  globalTheta: number;
  localTheta: number;
  attentionBias: boolean;
  mlpBias: boolean;
  normBias: boolean;
  /** The masked-LM head: whether the output has a bias, whether the layer before it has one, and that layer's activation. */
  decoderBias: boolean;
  headBias: boolean;
  headActivation: ActivationName;
}

const kinds = { global: 'full_attention', local: 'sliding_attention' } as const;

export const modernBertDefaults: ConfigJson = {
  norm_eps: 1e-5,
  pad_token_id: 50283,
  global_attn_every_n_layers: 3,
  local_attention: 128,
  global_rope_theta: 160_000,
  local_rope_theta: 10_000,
  attention_bias: false,
  mlp_bias: false,
  norm_bias: false,
  decoder_bias: true,
  classifier_bias: false,
  classifier_activation: 'gelu',
};

export function modernBertFromJson(
  fields: ConfigFields,
  json: ConfigJson,
  { hiddenSize, numHeads, numLayers }: { hiddenSize: number; numHeads: number; numLayers: number },
): ModernBertSettings {
  const reach = Math.floor(fields.count('local_attention') / 2);
  fields.refuse('sliding_window', reach);
  fields.refuse('head_dim', hiddenSize / numHeads);
  fields.refuse('partial_rotary_factor', 1);
  if (hiddenSize % (2 * numHeads) !== 0)
    throw fields.error('hidden_size', `is ${hiddenSize}; its ${numHeads} heads need an even number of columns each`);
  return {
    localLayers: localLayers(fields, numLayers),
    reach,
    globalTheta: theta(fields, json, 'global'),
    localTheta: theta(fields, json, 'local'),
    attentionBias: fields.flag('attention_bias'),
    mlpBias: fields.flag('mlp_bias'),
    normBias: fields.flag('norm_bias'),
    decoderBias: fields.flag('decoder_bias'),
    headBias: fields.flag('classifier_bias'),
    headActivation: fields.choice('classifier_activation', activationNames),
  };
}

export const modernBertToJson = (settings: ModernBertSettings): ConfigJson => ({
  layer_types: settings.localLayers.map((isLocal) => (isLocal ? kinds.local : kinds.global)),
  local_attention: 2 * settings.reach,
  rope_parameters: {
    [kinds.global]: { rope_type: 'default', rope_theta: settings.globalTheta },
    [kinds.local]: { rope_type: 'default', rope_theta: settings.localTheta },
  },
  attention_bias: settings.attentionBias,
  mlp_bias: settings.mlpBias,
  norm_bias: settings.normBias,
  decoder_bias: settings.decoderBias,
  classifier_bias: settings.headBias,
  classifier_activation: settings.headActivation,
});

/** Reads which layers are local, from newer files' `layer_types`; in older ones every third, from the first on, is global. */
function localLayers(fields: ConfigFields, numLayers: number): boolean[] {
  const types = fields.value('layer_types');
  if (types === undefined) {
    const every = fields.count('global_attn_every_n_layers');
    return Array.from({ length: numLayers }, (_, layer) => layer % every !== 0);
  }
  const known: unknown[] = Object.values(kinds);
  if (!Array.isArray(types) || types.length !== numLayers || types.some((type) => !known.includes(type)))
    throw fields.error('layer_types', `must be ${numLayers} of ${known.join(' and ')}, not ${JSON.stringify(types)}`);
  return types.map((type) => type === kinds.local);
}

/** Reads the base of the rotary embedding of one kind of layer, from `rope_parameters` or from its older field. */
function theta(fields: ConfigFields, json: ConfigJson, kind: keyof typeof kinds): number {
  const parameters = { ...ropeObject(json.rope_parameters)[kinds[kind]], ...(json.rope_scaling as ConfigJson | null) };
  const type = (parameters as ConfigJson).rope_type ?? (parameters as ConfigJson).type ?? 'default';
  if (type !== 'default')
    throw fields.error('rope_parameters', `has rope_type ${JSON.stringify(type)}, which is not supported`);
  const own = (parameters as ConfigJson).rope_theta;
  if (own === undefined || own === null) return fields.real(`${kind}_rope_theta`);
  if (typeof own === 'number' && Number.isFinite(own) && own > 0) return own;
  throw fields.error('rope_parameters', `has rope_theta ${JSON.stringify(own)}, not a number above 0`);
}

/** Reads the rope parameters of both kinds of layers. */
function ropeObject(value: unknown): Record<string, ConfigJson> {
  if (value === undefined || value === null) return {};
  const known: string[] = Object.values(kinds);
  const isNested =
    typeof value === 'object' && Object.entries(value).every(([key, inner]) => known.includes(key) && isRecord(inner));
  if (isNested) return value as Record<string, ConfigJson>;
  const problem = `must be an object with ${known.join(' and ')}, not ${JSON.stringify(value)}`;
  throw new UnsupportedConfigError('modernbert', 'rope_parameters', problem);
}
