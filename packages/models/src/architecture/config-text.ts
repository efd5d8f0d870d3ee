// Writes a model's config.json as text.
import type { ConfigJson } from '@bowyer/checkpoints';

/** Fields that transformers refuses as integers, and that are written with a decimal point (JSON.stringify writes 1.0 as 1). */
const NAMES = [
  'routed_scaling_factor',
  'router_jitter_noise',
  'router_aux_loss_coef',
  'logit_scale',
  'final_logit_softcapping',
  'attn_logit_softcapping',
  'initializer_range',
  'initializer_factor',
  'initializer_cutoff_factor',
  'init_std',
  'encoder_layerdrop',
  'decoder_layerdrop',
  'rms_norm_eps',
  'layer_norm_eps',
  'layer_norm_epsilon',
  'norm_eps',
  'norm_epsilon',
];
const FLOATS = new RegExp(`("(?:${NAMES.join('|')})": -?\\d+)(?=,?$)`, 'gm');

export const configText = (config: ConfigJson): string =>
  `${JSON.stringify(config, null, 2).replace(FLOATS, '$1.0')}\n`;
