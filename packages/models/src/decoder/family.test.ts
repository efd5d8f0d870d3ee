import { GraphBuilder } from '@bowyer/graph';
import { architectureFor } from '../language-model/architectures.js';
import type { AttentionForm } from '../layers/attention.js';
import { GraphScope } from './forward-scope.js';
import { linearBiases } from './linear-biases.js';

const sizes = {
  vocab_size: 11,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 32,
};

const biasesOf = (json: Record<string, unknown>) =>
  architectureFor({ ...sizes, ...json })
    .parameters.map(({ name }) => /layers\.0\.(.*)\.bias$/.exec(name)?.[1])
    .filter(Boolean);

test('each family has the biases and norms of its own', () => {
  expect(biasesOf({ model_type: 'llama' })).toEqual([]);
  expect(biasesOf({ model_type: 'mistral' })).toEqual([]);
  const queryKeyValue = ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'];
  expect(biasesOf({ model_type: 'qwen2' })).toEqual(queryKeyValue);
  expect(biasesOf({ model_type: 'llama', attention_bias: true })).toEqual([...queryKeyValue, 'self_attn.o_proj']);
  expect(biasesOf({ model_type: 'llama', mlp_bias: true })).toEqual(['mlp.gate_proj', 'mlp.up_proj', 'mlp.down_proj']);
  const norms = architectureFor({ ...sizes, model_type: 'qwen3', head_dim: 6 }).parameters.filter(({ name }) =>
    name.includes('layers.1.self_attn.q_norm'),
  );
  expect(norms).toEqual([{ name: 'model.layers.1.self_attn.q_norm.weight', shape: [6], init: { kind: 'ones' } }]);
});

/**
 * Builds the graph of the model that a config describes, and lists the form of attention with which each layer calls `attention`.
 */
function formsOf(json: Record<string, unknown>): AttentionForm[] {
  const architecture = architectureFor({ ...sizes, ...json });
  const g = new GraphBuilder('forms');
  const forms: AttentionForm[] = [];
  const scope = new GraphScope(g, architecture, {
    batch: 'batch',
    tokens: 'tokens',
    operandOrder: 'rows-left',
    attention: (layer, [query], form) => {
      forms[layer] = form;
      return query;
    },
  });
  const rows = (name: string) => g.input(name, 'int64', ['batch*tokens']);
  architecture.residual(scope, rows('ids'), rows('positions'));
  return forms;
}

test('sliding windows: every layer of Mistral, the upper ones of Qwen, as the file says', () => {
  const windows = (json: Record<string, unknown>) => formsOf(json).map(({ window }) => window);
  const none = [undefined, undefined, undefined, undefined];
  expect(windows({ model_type: 'mistral', sliding_window: 8 })).toEqual([8, 8, 8, 8]);
  expect(windows({ model_type: 'mistral', sliding_window: null })).toEqual(none);
  expect(windows({ model_type: 'mistral', sliding_window: 32 })).toEqual(none); // as wide as the context
  expect(windows({ model_type: 'llama', sliding_window: 8 })).toEqual(none);
  const qwen = { model_type: 'qwen2', sliding_window: 8, max_window_layers: 3 };
  expect(windows(qwen)).toEqual(none); // use_sliding_window is false by default
  expect(windows({ ...qwen, use_sliding_window: true })).toEqual([undefined, undefined, undefined, 8]);
  const layer_types = ['sliding_attention', 'full_attention', 'sliding_attention', 'full_attention'];
  expect(windows({ ...qwen, use_sliding_window: true, layer_types })).toEqual([8, undefined, 8, undefined]);
});

test('Gemma 4: the last layer sees the whole context, shared layers have no keys and no cache of their own', () => {
  const json = { ...sizes, model_type: 'gemma4_text', head_dim: 4, global_head_dim: 8, sliding_window: 3 };
  const small = { ...json, vocab_size_per_layer_input: 11, hidden_size_per_layer_input: 2 };
  const layer_types = ['sliding_attention', 'full_attention', 'sliding_attention', 'sliding_attention'];
  const shared = { ...small, layer_types, num_kv_shared_layers: 2 };
  expect(formsOf(shared).map((form) => form?.window)).toEqual([3, undefined]);
  const { attentionLayers, parameters, headSize } = architectureFor(shared);
  expect([attentionLayers, headSize]).toEqual([[0, 1], 8]);
  expect(parameters.filter(({ name }) => name.includes('k_proj'))).toHaveLength(2);
  expect(parameters.flatMap(({ ignoredBeside = [] }) => ignoredBeside)).toContain(
    'model.layers.3.self_attn.v_norm.weight',
  );
  const ownSizes = (head_dim: number) => architectureFor({ ...small, per_layer_config: { 3: { head_dim } } });
  expect(ownSizes(6).headSize).toBe(6);
  expect(() => ownSizes(5)).toThrow('head_dim of layers of full_attention must be one even number, not 5');
  expect(() => architectureFor({ ...shared, num_kv_shared_layers: 3 })).toThrow(
    'num_kv_shared_layers leaves no layer of full_attention',
  );
});

test('the shape of falcon-rw-1b is built: linear biases, a key and a value for every head', () => {
  const shape = { vocab_size: 50304, hidden_size: 2048, num_hidden_layers: 24, num_attention_heads: 32 };
  const variant = { alibi: true, bias: true, multi_query: false, parallel_attn: false };
  const architecture = architectureFor({ model_type: 'falcon', ...shape, ...variant });
  const count = architecture.parameters.reduce((sum, spec) => sum + spec.shape.reduce((a, b) => a * b, 1), 0);
  expect(count).toBe(1_311_625_216);
  // The expected values are those of transformers' build_alibi_tensor at positions that bfloat16 cannot represent exactly.
  const { table } = linearBiases(4, 600, { isBfloat16: true });
  expect([301, 599, 600 + 303, 1200 + 517].map((i) => table[i])).toEqual([75.0, 150.0, 19.0, 8.0625]);
  expect(architecture).toMatchObject({ heads: 32, keyValueHeads: 32, headSize: 64, contextLength: 2048 });
});

test('the saved config is the one that was read', () => {
  const json = { ...sizes, model_type: 'qwen2', bos_token_id: 1, torch_dtype: 'bfloat16', rope_scaling: null };
  expect(architectureFor(json).config).toEqual({
    ...json,
    architectures: ['Qwen2ForCausalLM'],
    torch_dtype: 'float32',
  });
  const newer = { ...sizes, model_type: 'qwen2', dtype: 'bfloat16', text_config: { dtype: 'bfloat16', vocab_size: 3 } };
  const { config } = architectureFor(newer);
  expect(config).toMatchObject({ torch_dtype: 'float32', text_config: { vocab_size: 3 } });
  expect(JSON.stringify(config)).not.toContain('bfloat16');
});

test.each<[Record<string, unknown>, string]>([
  [{ hidden_act: 'mish' }, 'hidden_act is "mish", which is not supported; known: silu, swish, gelu, gelu_python, '],
  [{ num_key_value_heads: 3 }, 'num_key_value_heads is 3, which does not divide num_attention_heads 4'],
  [{ hidden_size: 18 }, 'hidden_size is 18, not a multiple of num_attention_heads 4'],
  [{ head_dim: 5 }, 'head_dim is 5; rotary embedding needs an even number'],
  [{ hidden_size: '16' }, 'hidden_size must be a positive integer, not "16"'],
  [{ tie_word_embeddings: 'no' }, 'tie_word_embeddings must be true or false, not "no"'],
  [{ quantization_config: { bits: 4 } }, 'quantization_config is {"bits":4}, which is not supported'],
  [{ partial_rotary_factor: 0.5 }, 'partial_rotary_factor is 0.5, which is not supported'],
  [{ model_type: 'qwen2', layer_types: ['full_attention'] }, 'layer_types must list the kind of each of the 4 layers'],
  [
    { model_type: 'qwen2', layer_types: ['full_attention', 'chunked_attention', 'full_attention', 'full_attention'] },
    'layer_types has "chunked_attention", which is not supported; known: full_attention, sliding_attention',
  ],
])('a config that cannot be built names the field: %j', (change, problem) => {
  expect(() => architectureFor({ ...sizes, model_type: 'llama', ...change })).toThrow(
    `config.json of a '${String(change.model_type ?? 'llama')}' model: ${problem}`,
  );
});
