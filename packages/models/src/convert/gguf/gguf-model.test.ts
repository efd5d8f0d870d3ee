import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { readWeights, writeWeights, writeSafetensors } from '@bowyer/checkpoints';
import { openDevice } from '@bowyer/graph';
import { HuggingFaceTokenizer, loadTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { exportGguf, type GgufOptions } from '../../export/gguf/export-gguf.js';
import { count, ggufBytes, text, type Entries, type GgufTensor } from '../../export/gguf/gguf-file.js';
import { tensorTypes } from '../../export/gguf/tensor-types.js';
import { LanguageModel } from '../../language-model/language-model.js';
import { convertCheckpoint } from '../convert-checkpoint.js';

const device = await openDevice({ device: 'cpu', threads: 1 });
afterAll(() => device.close());
let dir: string;
beforeEach(() => (dir = newFolder()));

const sizes = {
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 64,
  initializer_range: 0.2,
};
const template = '{{ messages[0].content }}';

/** Makes a byte-level BPE tokenizer whose vocabulary contains the letters a to d. */
const letters = (pre_tokenizer: object = { type: 'ByteLevel', add_prefix_space: false, use_regex: true }) =>
  new HuggingFaceTokenizer(
    {
      added_tokens: [
        { id: 6, content: '<end>', special: true },
        { id: 7, content: '<tool>', special: false },
      ],
      pre_tokenizer,
      decoder: { type: 'ByteLevel' },
      model: { type: 'BPE', vocab: { a: 0, b: 1, c: 2, d: 3, ab: 4, Ġ: 5 }, merges: [['a', 'b']] },
    },
    { eos_token: '<end>', chat_template: template },
  );

/** Saves a model whose norms and biases are random too, since errors in their conversion would not show with ones and zeros. */
async function saved(config: object, tokenizer: HuggingFaceTokenizer = letters()): Promise<string> {
  const described = { ...sizes, vocab_size: tokenizer.vocabSize, ...config };
  const model = await LanguageModel.create({ device, config: described, tokenizer, rng: new Rng(1) });
  const folder = join(dir, 'model');
  await model.save(folder);
  await model.release();
  const [weights, noise] = [await readWeights(folder), new Rng(5)];
  for (const [name, { shape, data }] of Object.entries(weights))
    if (shape.length === 1 || name.endsWith('bias')) data.forEach((x, i) => (data[i] = x + 0.3 * noise.normal()));
  await writeWeights(folder, weights);
  return folder;
}

const file = () => join(dir, 'model.gguf');
const exported = (folder: string, options: Partial<GgufOptions> = {}) =>
  exportGguf({ dir: folder, output: file(), dtype: 'f32', merge: false, name: 'small', ...options });

const convert = (input = file()) =>
  convertCheckpoint({ input, output: join(dir, 'out'), config: null, tokenizer: null, section: null });
const messageOf = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message);

/** Computes the log-probabilities of a sequence of 40 tokens, which is longer than every sliding window in these tests. */
async function logprobs(folder: string): Promise<Float32Array> {
  const model = await LanguageModel.load({ device, dir: folder });
  const rng = new Rng(3);
  const tokens = Int32Array.from({ length: 41 }, () => rng.integer(0, 5));
  const example = { ids: tokens.slice(0, -1), targets: tokens.slice(1), weights: new Float32Array(40).fill(1) };
  const [scores] = await model.logprobs([example]);
  await model.release();
  return scores;
}

const llama3 = (low: number, high: number, original: number) => ({
  rope_type: 'llama3',
  factor: 8,
  low_freq_factor: low,
  high_freq_factor: high,
  original_max_position_embeddings: original,
});

test.each<[string, object]>([
  ['a Llama', { model_type: 'llama', rope_theta: 5000 }],
  [
    'a tied Llama with biases',
    { model_type: 'llama', tie_word_embeddings: true, attention_bias: true, mlp_bias: true },
  ],
  ['Llama 3.1', { model_type: 'llama', head_dim: 32, rope_scaling: llama3(1, 4, 32) }],
  ['Llama 3.1, another low end', { model_type: 'llama', head_dim: 32, rope_scaling: llama3(2.5, 7, 64) }],
  ['Llama 3.1, one frequency between', { model_type: 'llama', head_dim: 16, rope_scaling: llama3(1, 2.5, 32) }],
  ['Llama 3.1, no frequency between', { model_type: 'llama', head_dim: 8, rope_scaling: llama3(1, 1.1, 32) }],
  ['Qwen 3', { model_type: 'qwen3', head_dim: 16 }],
  ['Qwen 2.5 with YaRN', { model_type: 'qwen2', rope_scaling: { ...llama3(1, 4, 16), rope_type: 'yarn' } }],
  [
    'Gemma 3',
    { model_type: 'gemma3_text', num_hidden_layers: 7, head_dim: 8, query_pre_attn_scalar: 8, sliding_window: 8 },
  ],
  ['GPT-2', { model_type: 'gpt2', n_embd: 16, n_head: 2, n_layer: 2, n_positions: 64 }],
  ['Phi-3', { model_type: 'phi3', partial_rotary_factor: 0.5 }],
  [
    'Qwen 3 MoE',
    {
      model_type: 'qwen3_moe',
      head_dim: 8,
      num_experts: 3,
      num_experts_per_tok: 2,
      moe_intermediate_size: 8,
      norm_topk_prob: true,
    },
  ],
])('%s that was written as GGUF is the same model again', async (_, config) => {
  const folder = await saved(config);
  await exported(folder);
  expect(await convert()).toMatchObject({ kind: 'gguf' });
  const [found, expected] = [await readWeights(join(dir, 'out')), await readWeights(folder)];
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, { shape, data }] of Object.entries(expected)) {
    expect(found[name].shape).toEqual(shape);
    // GGUF files contain the weights of Gemma's norms with 1 added, so that float32 rounding changes them.
    data.forEach((x, i) => expect(Math.abs(found[name].data[i] - x)).toBeLessThan(2e-7));
  }
  const [ours, theirs] = [await logprobs(join(dir, 'out')), await logprobs(folder)];
  ours.forEach((x, i) => expect(x).toBeCloseTo(theirs[i], 4));
});

test('the config has the fields of the file in decimals, and the ends of texts', async () => {
  const config = { model_type: 'llama', rms_norm_eps: 1e-5, rope_scaling: llama3(1, 4, 32), eos_token_id: [6, 3] };
  await exported(await saved({ ...config, head_dim: 32 }));
  await convert();
  expect(JSON.parse(readFileSync(join(dir, 'out', 'config.json'), 'utf8'))).toMatchObject({
    ...config,
    hidden_size: 16,
    intermediate_size: 24,
    num_key_value_heads: 1,
    max_position_embeddings: 64,
    vocab_size: 8,
    head_dim: 32,
    tie_word_embeddings: false,
  });
});

test('blocks of 8 bits are decoded', async () => {
  const folder = await saved({ model_type: 'llama', hidden_size: 32, intermediate_size: 64 });
  await exported(folder, { dtype: 'q8_0' });
  await convert();
  const [found, expected] = [await readWeights(join(dir, 'out')), await readWeights(folder)];
  const name = 'model.layers.1.mlp.down_proj.weight';
  const step = Math.max(...expected[name].data.map(Math.abs)) / 127;
  const errors = expected[name].data.map((x, i) => Math.abs(x - found[name].data[i]));
  expect(Math.max(...errors)).toBeLessThan(0.51 * step);
  expect(Math.max(...errors)).toBeGreaterThan(0);
});

describe('the tokenizer', () => {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
  const sentencePiece = (addsPrefix: boolean) =>
    new HuggingFaceTokenizer(
      {
        added_tokens: ['<unk>', '<s>', '</s>'].map((content, id) => ({ id, content, special: true })),
        normalizer: {
          type: 'Sequence',
          normalizers: [...(addsPrefix ? [{ type: 'Prepend', prepend: '▁' }] : []), spaces],
        },
        post_processor: {
          type: 'TemplateProcessing',
          single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
          pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
          special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } },
        },
        decoder: {
          type: 'Sequence',
          decoders: [
            { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
            { type: 'ByteFallback' },
            { type: 'Fuse' },
            ...(addsPrefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
          ],
        },
        model: {
          type: 'BPE',
          vocab: Object.fromEntries(
            ['<unk>', '<s>', '</s>', ...bytes, '▁', 'a', 'b', 'ab', '▁ab'].map((piece, id) => [piece, id]),
          ),
          merges: ['a b', '▁ ab'],
          unk_token: '<unk>',
          byte_fallback: true,
          fuse_unk: true,
        },
      },
      { bos_token: '<s>', eos_token: '</s>' },
    );
  const digits = { type: 'Split', pattern: { Regex: '\\p{N}' }, behavior: 'Isolated', invert: false };
  const smollm = {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Digits', individual_digits: true },
      { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
    ],
  };
  const unigram = new HuggingFaceTokenizer(
    {
      added_tokens: ['<pad>', '</s>', '<unk>'].map((content, id) => ({ id, content, special: true })),
      normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, spaces] },
      decoder: {
        type: 'Sequence',
        decoders: [
          { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
          { type: 'Fuse' },
          { type: 'Strip', content: ' ', start: 1, stop: 0 },
        ],
      },
      model: {
        type: 'Unigram',
        vocab: ['<pad>', '</s>', '<unk>', '▁', 'a', 'b', 'ab', '▁ab'].map((piece, id) => [piece, -id / 2]),
        unk_id: 2,
      },
    },
    { eos_token: '</s>' },
  );

  test.each<[string, HuggingFaceTokenizer]>([
    ['byte-level BPE', letters()],
    ['byte-level BPE that cuts digits off', letters(smollm)],
    ['the same as a pattern', letters({ ...smollm, pretokenizers: [digits, smollm.pretokenizers[1]] })],
    ['SentencePiece BPE with a space before texts', sentencePiece(true)],
    ['SentencePiece BPE without', sentencePiece(false)],
    ['a unigram model', unigram],
  ])('%s has the same ids and texts', async (_, tokenizer) => {
    await exported(await saved({ model_type: 'llama' }, tokenizer));
    await convert();
    const found = await loadTokenizer(join(dir, 'out'));
    const known = ['ab', ' ab ab', 'a  b', 'aab<end>b <tool>', 'a</s>ab'];
    for (const given of tokenizer === unigram ? known : [...known, '', 'abé1 22']) {
      const ids = tokenizer.encodeWithSpecials(given);
      expect(found.encodeWithSpecials(given)).toEqual(ids);
      expect(found.encode(given)).toEqual(tokenizer.encode(given));
      expect(found.decode(ids)).toBe(tokenizer.decode(ids));
    }
    expect(found.eosTokenId).toBe(tokenizer.eosTokenId);
    expect(found.config.chat_template).toBe(tokenizer.config.chat_template);
  });

  test('a name of a cut that is not known is refused, and a tokenizer beside it takes its place', async () => {
    await exported(await saved({ model_type: 'llama' }));
    const bytes = readFileSync(file());
    writeFileSync(file(), Buffer.from(bytes.toString('latin1').replace('gpt-2', 'gpt-9'), 'latin1'));
    expect(await messageOf(convert())).toContain(
      'its tokenizer cuts texts as "gpt-9", which is not read; read are gpt-2,',
    );
    const tokenizer = join(dir, 'model');
    await convertCheckpoint({ input: file(), output: join(dir, 'out'), config: null, tokenizer, section: null });
    expect((await loadTokenizer(join(dir, 'out'))).encode('ab')).toEqual([4]);
  });
});

describe('refused, with the reason:', () => {
  const written = async (metadata: Entries, tensors: GgufTensor[] = []) => {
    const parts: Uint8Array[] = [];
    for await (const part of ggufBytes(metadata, tensors)) parts.push(part);
    writeFileSync(file(), Buffer.concat(parts));
  };
  const tensor = (name: string, type = tensorTypes.f32): GgufTensor => ({
    name,
    shape: [1],
    type,
    pieces: async function* () {
      yield type.encode(Float32Array.of(NaN));
    },
  });

  test('a file that is cut off', async () => {
    await exported(await saved({ model_type: 'llama' }));
    const whole = readFileSync(file()).length;
    for (const [length, problem] of [
      [whole - 40, /tensor '[^']+' ends at byte \d+, the file has \d+ bytes\n {2}download it again/],
      [600, /should be \d+ bytes at \d+, the file has 600 bytes/],
      [3, /the first four bytes should be 4 bytes/],
    ] as const) {
      truncateSync(file(), length);
      expect(await messageOf(convert())).toMatch(problem);
    }
  });

  test('a file of another kind under the name', async () => {
    await writeSafetensors(file(), {});
    expect(await messageOf(convert())).toContain('a GGUF file with "GGUF"');
  });

  test('a text of the header that would be longer than the file', async () => {
    await written({ 'general.architecture': text('llama') });
    const bytes = readFileSync(file());
    bytes.writeBigUInt64LE(2n ** 60n, 24);
    writeFileSync(file(), bytes);
    expect(await messageOf(convert())).toContain('a text of the header should be 1152921504606847000 bytes');
  });

  test('an architecture that is not read, an adapter, and a part of a model', async () => {
    await written({ 'general.architecture': text('rwkv7') });
    expect(await messageOf(convert())).toContain('its architecture is rwkv7; the ones that are read: llama, qwen2');
    await written({ 'general.architecture': text('llama'), 'general.type': text('adapter') });
    expect(await messageOf(convert())).toContain('it is of the type "adapter", no model');
    await written({ 'general.architecture': text('llama'), 'split.count': count(3) });
    expect(await messageOf(convert())).toContain('it is one of 3 parts of a model');
  });

  test('a type of numbers that is not read', async () => {
    await written({ 'general.architecture': text('llama') }, [tensor('x', { ...tensorTypes.f32, code: 16 })]);
    expect(await messageOf(convert())).toContain(
      "tensor 'x' is of GGUF's type 16, which is not read\n  read are F32, F16",
    );
  });

  test('a tensor that the model has no place for, and one that is missing', async () => {
    const folder = await saved({ model_type: 'llama' });
    await exported(folder);
    const bytes = readFileSync(file()).toString('latin1');
    writeFileSync(file(), Buffer.from(bytes.replace('blk.1.ffn_up', 'blk.1.ffn_xx'), 'latin1'));
    expect(await messageOf(convert())).toContain(
      "expected a tensor 'blk.1.ffn_up.weight' of shape [24, 16], found none",
    );
    writeFileSync(
      file(),
      Buffer.from(bytes.replace('llama.block_count\x04\0\0\0\x02', 'llama.block_count\x04\0\0\0\x01'), 'latin1'),
    );
    expect(await messageOf(convert())).toContain("its tensor 'blk.1.attn_norm.weight' has no place in a llama");
  });

  test('NaN in a tensor', async () => {
    const folder = await saved({ model_type: 'llama' });
    await exported(folder);
    const bytes = readFileSync(file());
    bytes.writeFloatLE(NaN, bytes.length - 32);
    writeFileSync(file(), bytes);
    expect(await messageOf(convert())).toMatch(/tensor '[^']+': expected finite numbers, found NaN at index \d+/);
  });
});
