// Extracts the text part of a model that also reads images or sound: its config.json has it as text_config.
import type { ConfigJson } from '@bowyer/checkpoints';

/** The `model_type` of the text part, by that of the whole model, for configs whose text_config names none. */
const textTypes: Readonly<Record<string, string>> = {
  gemma3: 'gemma3_text',
  gemma4: 'gemma4_text',
  gemma4_unified: 'gemma4_unified_text',
  mistral3: 'mistral',
  qwen3_5: 'qwen3_5_text',
  qwen3_5_moe: 'qwen3_5_moe_text',
};

/** The whole models whose head and embedding are not tied by default. */
const untied = ['qwen3_5', 'qwen3_5_moe'];

/** The fields of the whole model that also apply to its text part. */
const shared = ['quantization_config', 'bos_token_id', 'eos_token_id', 'pad_token_id', 'dtype', 'torch_dtype'];

/** Returns the config of the text part; the config itself if the model is a text model. */
export function textConfig(json: ConfigJson): ConfigJson {
  const type = String(json.model_type);
  if (!Object.hasOwn(textTypes, type)) return json;
  const own = Object.fromEntries(shared.flatMap((field) => (field in json ? [[field, json[field]]] : [])));
  const text = { model_type: textTypes[type], ...(json.text_config as ConfigJson | undefined) };
  return { ...own, ...text, tie_word_embeddings: json.tie_word_embeddings ?? !untied.includes(type) };
}
