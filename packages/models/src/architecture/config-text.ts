// The text of a config.json that is written.
import type { ConfigJson } from '@bowyer/checkpoints';

/** Fields that transformers refuses as integers, which is how JSON.stringify writes 1.0. */
const FLOATS =
  /("(?:routed_scaling_factor|router_jitter_noise|router_aux_loss_coef|initializer_range)": -?\d+)(?=,?$)/gm;

export const configText = (config: ConfigJson): string =>
  `${JSON.stringify(config, null, 2).replace(FLOATS, '$1.0')}\n`;
