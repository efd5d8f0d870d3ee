// Lists the families that can be exported for transformers.js; the results of each were compared with Bowyer's own
// (docs/models/export-table.md). Caches other than keys and values of every layer are refused, since transformers.js has other
// names for them.
import type { CausalArchitecture } from '../../architecture/architecture.js';

/** The values of `model_type` in config.json of the families that can be exported. */
const onnxFamilies: readonly string[] = [
  'bloom',
  'cohere',
  'cohere2',
  'ernie4_5',
  'falcon',
  'gemma',
  'gemma2',
  'gemma3_text',
  'glm',
  'gpt2',
  'gpt_neox',
  'gpt_oss',
  'gptj',
  'granite',
  'llama',
  'ministral',
  'mistral',
  'olmo2',
  'olmo3',
  'opt',
  'phi',
  'phi3',
  'qwen2',
  'qwen3',
  'qwen3_moe',
  'smollm3',
  'stablelm',
  'starcoder2',
];

/** Returns the reason why a model cannot be exported; null if it can. */
export function onnxProblem({ config, states = [], attentionLayers, layers }: CausalArchitecture): string | null {
  const type = String(config.model_type);
  if (states.length > 0)
    return `it is a ${type}, whose layers keep states beside keys and values (${states[0].name}); these are not written as ONNX`;
  if (!onnxFamilies.includes(type)) return `it is a ${type}; the families that are written: ${onnxFamilies.join(', ')}`;
  if (attentionLayers !== undefined && attentionLayers.length < layers)
    return `it is a ${type} in which ${layers - attentionLayers.length} of ${layers} layers have no keys and values of their own`;
  if (type === 'falcon' && config.multi_query === true)
    return 'it is a falcon with multi_query, whose keys and values transformers.js expects in one tensor';
  return null;
}
