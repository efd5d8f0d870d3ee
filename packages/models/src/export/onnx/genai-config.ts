// genai_config.json, by which onnxruntime-genai finds the model's file and the names of its inputs and outputs.
// Source: https://onnxruntime.ai/docs/genai/reference/config.html
import type { CausalArchitecture } from '../../architecture/architecture.js';

type Json = Readonly<Record<string, unknown>>;

/** Types that have another name in that library than in config.json. */
const types: Readonly<Record<string, string>> = { gpt_oss: 'gptoss' };

/** @param file of the model, from the folder of the config @param generation contents of generation_config.json */
export function genaiConfig(architecture: CausalArchitecture, file: string, generation: Json): Json {
  const { config, contextLength, heads, keyValueHeads, headSize, layers, vocabSize } = architecture;
  const type = String(config.model_type);
  const id = (role: string) => generation[role] ?? config[role];
  const [end, pad] = [id('eos_token_id'), id('pad_token_id')];
  return {
    model: {
      type: types[type] ?? type,
      vocab_size: vocabSize,
      context_length: contextLength,
      ...(id('bos_token_id') !== undefined && { bos_token_id: id('bos_token_id') }),
      ...(end !== undefined && { eos_token_id: end }),
      pad_token_id: pad ?? (Array.isArray(end) ? end[0] : end),
      decoder: {
        session_options: { log_id: 'onnxruntime-genai', provider_options: [] },
        filename: file,
        head_size: headSize,
        hidden_size: config.hidden_size ?? config.n_embd ?? heads * headSize,
        num_attention_heads: heads,
        num_key_value_heads: keyValueHeads,
        num_hidden_layers: layers,
        inputs: {
          input_ids: 'input_ids',
          attention_mask: 'attention_mask',
          position_ids: 'position_ids',
          past_key_names: 'past_key_values.%d.key',
          past_value_names: 'past_key_values.%d.value',
        },
        outputs: { logits: 'logits', present_key_names: 'present.%d.key', present_value_names: 'present.%d.value' },
      },
    },
    search: {
      do_sample: generation.do_sample ?? false,
      max_length: contextLength,
      temperature: generation.temperature ?? 1,
      top_k: generation.top_k ?? 50,
      top_p: generation.top_p ?? 1,
      past_present_share_buffer: false,
    },
  };
}
