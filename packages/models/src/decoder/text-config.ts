// Finds the config of the text model in the config.json of a composite model that also reads images or sound, which has it under
// text_config.
import type { ConfigJson } from '@bowyer/checkpoints';

/** The text model's `model_type` by the composite model's, for files whose text_config has none. */
const textTypes: Readonly<Record<string, string>> = {
  gemma3: 'gemma3_text',
  gemma4: 'gemma4_text',
  gemma4_unified: 'gemma4_unified_text',
  mistral3: 'mistral',
  qwen3_5: 'qwen3_5_text',
  qwen3_5_moe: 'qwen3_5_moe_text',
};

/** The composite models whose LM head and embedding are not tied if the file does not say. */
const untied = ['qwen3_5', 'qwen3_5_moe'];

/** The fields of the composite model's config that also apply to its text model. */
const shared = ['quantization_config', 'bos_token_id', 'eos_token_id', 'pad_token_id', 'dtype', 'torch_dtype'];

/** Returns the config of the text model; the config itself if it is that of a text model. */
export function textConfig(json: ConfigJson): ConfigJson {
  const type = String(json.model_type);
  if (!Object.hasOwn(textTypes, type)) return json;
  const own = Object.fromEntries(shared.flatMap((field) => (field in json ? [[field, json[field]]] : [])));
  const text = { model_type: textTypes[type], ...(json.text_config as ConfigJson | undefined) };
  return { ...own, ...text, tie_word_embeddings: json.tie_word_embeddings ?? !untied.includes(type) };
}
