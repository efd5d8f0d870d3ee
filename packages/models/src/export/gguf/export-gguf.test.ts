import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { readSafetensors, readWeights } from '@bowyer/checkpoints';
import { openDevice } from '@bowyer/graph';
import { HuggingFaceTokenizer, wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { floats, readGguf } from '../../../test/gguf/read-gguf.js';
import { LanguageModel } from '../../language-model/language-model.js';
import { exportGguf } from './export-gguf.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
let dir: string;
afterAll(() => device.close());
beforeEach(() => (dir = newFolder()));

const sizes = {
  hidden_size: 8,
  intermediate_size: 12,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 16,
};

/** Makes a byte-level BPE tokenizer of the letters a to d. */
const bpe = (changes: { model?: object; pre_tokenizer?: object; config?: object } = {}) =>
  new HuggingFaceTokenizer(
    {
      added_tokens: [{ id: 6, content: '<end>', special: true }],
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true, ...changes.pre_tokenizer },
      decoder: { type: 'ByteLevel' },
      model: {
        type: 'BPE',
        vocab: { a: 0, b: 1, c: 2, d: 3, ab: 4, Ġ: 5 },
        merges: [['a', 'b']],
        ...changes.model,
      },
    },
    { eos_token: '<end>', chat_template: '{{ messages[0].content }}', ...changes.config },
  );

async function saved(config: object, tokenizer = bpe(), lora?: object): Promise<string> {
  const model = await LanguageModel.create({
    device,
    config: { ...sizes, vocab_size: 7, ...config },
    tokenizer,
    rng: new Rng(1),
  });
  const folder = join(dir, 'model');
  await model.save(folder);
  await model.release();
  if (lora === undefined) return folder;
  const adapted = await LanguageModel.load({
    device,
    dir: folder,
    lora: { r: 2, alpha: 4, dropout: 0, seed: 1, targetModules: ['q_proj'], ...lora },
  });
  await adapted.save(join(dir, 'adapter'));
  await adapted.release();
  return join(dir, 'adapter');
}

const written = async (folder: string, options: Partial<Parameters<typeof exportGguf>[0]> = {}) => {
  const output = join(dir, 'out.gguf');
  const result = await exportGguf({ dir: folder, output, dtype: 'f32', merge: false, name: 'small', ...options });
  return { ...result, ...readGguf(output) };
};

const messageOf = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message);

test('a Llama: sizes, vocabulary, roles and template in the metadata', async () => {
  const { metadata, kind, arch } = await written(
    await saved({ model_type: 'llama', rope_theta: 5000, eos_token_id: [6, 3] }),
  );
  expect({ kind, arch }).toEqual({ kind: 'model', arch: 'llama' });
  expect(metadata).toMatchObject({
    'general.architecture': 'llama',
    'general.name': 'small',
    'general.file_type': 0,
    'llama.block_count': 1,
    'llama.context_length': 16,
    'llama.embedding_length': 8,
    'llama.feed_forward_length': 12,
    'llama.attention.head_count': 2,
    'llama.attention.head_count_kv': 1,
    'llama.attention.key_length': 4,
    'llama.rope.dimension_count': 4,
    'llama.rope.freq_base': 5000,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'gpt-2',
    'tokenizer.ggml.tokens': ['a', 'b', 'c', 'd', 'ab', 'Ġ', '<end>'],
    'tokenizer.ggml.token_type': [1, 1, 1, 1, 1, 1, 3],
    'tokenizer.ggml.merges': ['a b'],
    'tokenizer.ggml.eos_token_id': 6,
    'tokenizer.ggml.eot_token_id': 3,
    'tokenizer.ggml.add_bos_token': false,
    'tokenizer.chat_template': '{{ messages[0].content }}',
  });
});

test('a Llama: the two halves of a head of queries alternate, values stay; sizes are the innermost first', async () => {
  const folder = await saved({ model_type: 'llama' });
  const { tensors } = await written(folder);
  const weights = await readWeights(folder);
  const rows = (name: string, order: readonly number[]) =>
    order.flatMap((row) => [...weights[`model.layers.0.self_attn.${name}.weight`].data.subarray(8 * row, 8 * row + 8)]);
  expect(tensors['blk.0.attn_q.weight']).toMatchObject({ sizes: [8, 8], type: 0 });
  // There are two heads of 4 rows. In each, rows 0 and 2 are rotated as a pair, and so are 1 and 3.
  expect(floats(tensors['blk.0.attn_q.weight'])).toEqual(rows('q_proj', [0, 2, 1, 3, 4, 6, 5, 7]));
  expect(floats(tensors['blk.0.attn_v.weight'])).toEqual(rows('v_proj', [0, 1, 2, 3]));
});

test('norms of Gemma are written with the 1 that their weights are added to', async () => {
  const { tensors, metadata } = await written(await saved({ model_type: 'gemma', head_dim: 4 }));
  expect(floats(tensors['blk.0.attn_norm.weight'])).toEqual(new Array(8).fill(1));
  expect(tensors['output.weight']).toBeUndefined();
  expect(metadata['gemma.attention.key_length']).toBe(4);
});

test('an adapter by itself is the pair of its factors, the rows of B in the order of the tensor that it changes', async () => {
  const adapter = await saved({ model_type: 'llama' }, bpe(), { r: 2, alpha: 4 });
  const { metadata, tensors, kind } = await written(adapter);
  expect(kind).toBe('adapter');
  expect(metadata).toMatchObject({ 'general.type': 'adapter', 'adapter.type': 'lora', 'adapter.lora.alpha': 4 });
  expect(Object.keys(tensors)).toEqual(['blk.0.attn_q.weight.lora_a', 'blk.0.attn_q.weight.lora_b']);
  const file = await readSafetensors(join(adapter, 'adapter_model.safetensors'));
  const a = file['base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight'];
  expect(floats(tensors['blk.0.attn_q.weight.lora_a'])).toEqual([...a.data]);
  expect(tensors['blk.0.attn_q.weight.lora_b'].sizes).toEqual([2, 8]);
});

test('matrices whose rows do not divide into blocks are in float16, and a note says so', async () => {
  const { notes, tensors, metadata } = await written(await saved({ model_type: 'llama' }), { dtype: 'q8_0' });
  expect(metadata['general.file_type']).toBe(7);
  expect(tensors['blk.0.ffn_up.weight'].type).toBe(1);
  expect(notes[0]).toMatch(
    /^\d+ tensors whose rows do not divide into blocks of 32 are in float16, the first: token_embd.weight$/,
  );
});

test.each<[string, object, HuggingFaceTokenizer, string]>([
  [
    'a family',
    { model_type: 'bloom', n_layer: 1, n_head: 2 },
    bpe(),
    'it is a bloom; the families that are written: llama, ',
  ],
  [
    'a kind of tokenizer',
    { model_type: 'llama' },
    wordLevelTokenizer(['a b c d']),
    'its tokenizer is WordLevel, which llama.cpp does not have',
  ],
  [
    'a pre-tokenizer',
    { model_type: 'llama' },
    bpe({ pre_tokenizer: { add_prefix_space: true } }),
    'its ByteLevel has add_prefix_space: true',
  ],
  [
    'a scaling of positions',
    {
      model_type: 'smollm3',
      rope_scaling: { rope_type: 'llama3', factor: 2, low_freq_factor: 1, high_freq_factor: 4 },
    },
    bpe(),
    'rope_scaling.rope_type is "llama3", which llama.cpp\'s architecture smollm3 does not read',
  ],
  [
    'a bias',
    { model_type: 'qwen3', head_dim: 4, attention_bias: true },
    bpe(),
    "llama.cpp's architecture qwen3 has no place for model.layers.0.self_attn.o_proj.bias",
  ],
  [
    'a scale of queries',
    { model_type: 'gemma2', head_dim: 4, query_pre_attn_scalar: 16 },
    bpe(),
    "query_pre_attn_scalar is 16; llama.cpp's graph has 4",
  ],
])(
  '%s that llama.cpp does not have is refused by name, and nothing is written',
  async (_, config, tokenizer, problem) => {
    const folder = await saved({ vocab_size: tokenizer.vocabSize, ...config }, tokenizer);
    const before = readdirSync(dir);
    expect(await messageOf(written(folder))).toContain(`Cannot write ${folder} as GGUF\n  ${problem}`);
    expect(readdirSync(dir)).toEqual(before);
    expect(existsSync(join(dir, 'out.gguf'))).toBe(false);
  },
);
