// Refuses fields of config.json that Hugging Face's config classes accept for every decoder and that are not supported here.
import type { ConfigFields, ConfigJson } from '@bowyer/checkpoints';

/** Throws UnsupportedConfigError where such a field has a value that would change the model's results. */
export function refuseCommonFields(
  fields: ConfigFields,
  json: ConfigJson,
  { quantizations = [], readsLayerConfigs = false }: { quantizations?: readonly string[]; readsLayerConfigs?: boolean },
): void {
  const { quant_method } = (json.quantization_config ?? {}) as { quant_method?: string };
  if (quant_method === undefined || !quantizations.includes(quant_method)) fields.refuse('quantization_config');
  // transformers treats null as false.
  if ('is_causal' in json && json.is_causal !== true)
    throw fields.error('is_causal', `is ${JSON.stringify(json.is_causal)}: attention to later tokens is not supported`);
  for (const field of ['is_encoder_decoder', 'add_cross_attention']) fields.refuse(field, false);
  // `per_layer_config` gives layers different shapes, which only some families support.
  if (!readsLayerConfigs && Object.keys((json.per_layer_config as object | null) ?? {}).length > 0)
    fields.refuse('per_layer_config');
}
