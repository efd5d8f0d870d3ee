// A Llama or GPT-2 checkpoint of ours (Hugging Face layout) as a GGUF file, so that llama.cpp can run the same weights. The
// tokenizer in it names every id and no more: tokens come and go as ids here.
// Run: node --conditions=source --import tsx benchmarks/write-gguf.ts MODEL_FOLDER FILE.gguf [f32 | q8_0]
// Source of the format: docs/gguf.md of ggml-org/ggml, version 3; everything is little-endian:
//   "GGUF", version, number of tensors, number of entries | entries | tensor descriptions | padding | tensors, each aligned
import { open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { readPretrainedConfig, readWeights, type HostTensor } from '@bowyer/checkpoints';

export type GgufKind = 'f32' | 'q8_0';

const VERSION = 3;
const ALIGNMENT = 32;
/** Numbers that share a scale in q8_0. */
const BLOCK = 32;
/** Codes of the types of entries and of tensors. */
const VALUE = { uint32: 4, int32: 5, float32: 6, string: 8, array: 9 };
const TENSOR = { f32: 0, q8_0: 8 };
/** Kinds of tokens. */
const TOKEN = { normal: 1, unknown: 2, control: 3, byte: 6 };

type Entry =
  | { type: 'uint32' | 'float32'; value: number }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: string[] }
  | { type: 'float32s' | 'int32s'; value: number[] };

interface GgufTensor {
  name: string;
  shape: readonly number[];
  type: number;
  bytes: Uint8Array;
}

/** Writes the checkpoint in `dir` to `file`; with q8_0 all matrices in 8 bits, the vectors in float32. */
export async function writeGguf(dir: string, file: string, kind: GgufKind): Promise<void> {
  const json = await readPretrainedConfig(dir);
  const weights = await readWeights(dir);
  const { tensors, metadata } =
    json.model_type === 'gpt2' ? gpt2File(json, weights, kind) : llamaFile(json, weights, kind);
  await writeFile(file, metadata, tensors);
}

type Json = Readonly<Record<string, unknown>>;
type Weights = Record<string, HostTensor>;

interface GgufFile {
  tensors: GgufTensor[];
  metadata: Record<string, Entry>;
}

/** Takes a weight out: two copies of one tensor at a time, not of all. */
function taken(weights: Weights, name: string): HostTensor {
  const weight = weights[name];
  if (!weight) throw new Error(`writeGguf: there is no tensor ${name}`);
  delete weights[name];
  return weight;
}

function llamaFile(json: Json, weights: Weights, kind: GgufKind): GgufFile {
  const config = sizesOf(json);
  const { num_hidden_layers: layers, num_attention_heads: heads, num_key_value_heads: keyHeads } = config;
  if (json.model_type !== 'llama' || json.rope_scaling || json.rope_parameters || json.attention_bias || json.mlp_bias)
    throw new Error('writeGguf: the model must be GPT-2, or a Llama without biases and without rope scaling');
  const tensors: GgufTensor[] = [];
  const add = (theirs: string, ours: string, turnedHeads?: number) => {
    const weight = taken(weights, `${ours}.weight`);
    tensors.push(encode(`${theirs}.weight`, turnedHeads ? interleaveHalves(weight, turnedHeads) : weight, kind));
  };
  add('token_embd', 'model.embed_tokens');
  for (let i = 0; i < layers; i++) {
    const [theirs, ours] = [`blk.${i}`, `model.layers.${i}`];
    add(`${theirs}.attn_norm`, `${ours}.input_layernorm`);
    add(`${theirs}.attn_q`, `${ours}.self_attn.q_proj`, heads);
    add(`${theirs}.attn_k`, `${ours}.self_attn.k_proj`, keyHeads);
    add(`${theirs}.attn_v`, `${ours}.self_attn.v_proj`);
    add(`${theirs}.attn_output`, `${ours}.self_attn.o_proj`);
    add(`${theirs}.ffn_norm`, `${ours}.post_attention_layernorm`);
    for (const part of ['gate', 'up', 'down']) add(`${theirs}.ffn_${part}`, `${ours}.mlp.${part}_proj`);
  }
  add('output_norm', 'model.norm');
  if (!json.tie_word_embeddings) add('output', 'lm_head');
  return { tensors, metadata: entries(config, kind) };
}

/** Names of llama.cpp's architecture gpt2; its products take [out, in], ours (Conv1D) are [in, out]. */
function gpt2File(json: Json, weights: Weights, kind: GgufKind): GgufFile {
  const {
    vocab_size,
    n_positions,
    n_embd,
    n_layer,
    n_head,
    layer_norm_epsilon = 1e-5,
  } = json as Record<string, number>;
  const tensors: GgufTensor[] = [];
  const add = (theirs: string, ours: string, isProduct = false) => {
    const weight = taken(weights, `transformer.${ours}`);
    tensors.push(encode(theirs, isProduct ? transposed(weight) : weight, kind));
  };
  const addBoth = (theirs: string, ours: string, isProduct: boolean) => {
    add(`${theirs}.weight`, `${ours}.weight`, isProduct);
    add(`${theirs}.bias`, `${ours}.bias`);
  };
  add('token_embd.weight', 'wte.weight');
  add('position_embd.weight', 'wpe.weight');
  for (let i = 0; i < n_layer; i++) {
    const [theirs, ours] = [`blk.${i}`, `h.${i}`];
    addBoth(`${theirs}.attn_norm`, `${ours}.ln_1`, false);
    addBoth(`${theirs}.attn_qkv`, `${ours}.attn.c_attn`, true);
    addBoth(`${theirs}.attn_output`, `${ours}.attn.c_proj`, true);
    addBoth(`${theirs}.ffn_norm`, `${ours}.ln_2`, false);
    addBoth(`${theirs}.ffn_up`, `${ours}.mlp.c_fc`, true);
    addBoth(`${theirs}.ffn_down`, `${ours}.mlp.c_proj`, true);
  }
  addBoth('output_norm', 'ln_f', false);
  const metadata = {
    'general.architecture': text('gpt2'),
    ...generalEntries(kind),
    'gpt2.context_length': count(n_positions),
    'gpt2.embedding_length': count(n_embd),
    'gpt2.feed_forward_length': count(4 * n_embd),
    'gpt2.block_count': count(n_layer),
    'gpt2.attention.head_count': count(n_head),
    'gpt2.attention.layer_norm_epsilon': { type: 'float32', value: layer_norm_epsilon } as const,
    ...tokenizerEntries(vocab_size),
  };
  return { tensors, metadata };
}

function transposed({ data, shape }: HostTensor): HostTensor {
  const [rows, columns] = shape;
  const turned = new Float32Array(data.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      turned[column * rows + row] = data[row * columns + column] as number;
  return { shape: [columns, rows], data: turned };
}

/** The sizes in a config.json, as Hugging Face's LlamaConfig completes them. */
function sizesOf(json: Readonly<Record<string, unknown>>) {
  const given = json as Record<string, number>;
  const { vocab_size, hidden_size, intermediate_size, num_hidden_layers, num_attention_heads } = given;
  const { num_key_value_heads = num_attention_heads, head_dim = hidden_size / num_attention_heads } = given;
  const { rms_norm_eps = 1e-6, rope_theta = 10_000, max_position_embeddings = 2048 } = given;
  return {
    vocab_size,
    hidden_size,
    intermediate_size,
    num_hidden_layers,
    num_attention_heads,
    num_key_value_heads,
    head_dim,
    rms_norm_eps,
    rope_theta,
    max_position_embeddings,
  };
}

const count = (value: number): Entry => ({ type: 'uint32', value });
const text = (value: string): Entry => ({ type: 'string', value });

/** The entries that llama.cpp needs about a Llama. */
function entries(config: ReturnType<typeof sizesOf>, kind: GgufKind): Record<string, Entry> {
  return {
    'general.architecture': text('llama'),
    ...generalEntries(kind),
    'llama.vocab_size': count(config.vocab_size),
    'llama.context_length': count(config.max_position_embeddings),
    'llama.embedding_length': count(config.hidden_size),
    'llama.feed_forward_length': count(config.intermediate_size),
    'llama.block_count': count(config.num_hidden_layers),
    'llama.attention.head_count': count(config.num_attention_heads),
    'llama.attention.head_count_kv': count(config.num_key_value_heads),
    'llama.attention.key_length': count(config.head_dim),
    'llama.attention.value_length': count(config.head_dim),
    'llama.attention.layer_norm_rms_epsilon': { type: 'float32', value: config.rms_norm_eps },
    'llama.rope.dimension_count': count(config.head_dim),
    'llama.rope.freq_base': { type: 'float32', value: config.rope_theta },
    ...tokenizerEntries(config.vocab_size),
  };
}

const generalEntries = (kind: GgufKind): Record<string, Entry> => ({
  'general.name': text('bowyer'),
  'general.alignment': count(ALIGNMENT),
  'general.file_type': count({ f32: 0, q8_0: 7 }[kind]),
});

/** A tokenizer of as many tokens as the embedding has rows. */
function tokenizerEntries(vocabSize: number): Record<string, Entry> {
  const kinds = tokenKinds(vocabSize);
  return {
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.tokens': { type: 'strings', value: kinds.map(tokenText) },
    'tokenizer.ggml.scores': { type: 'float32s', value: kinds.map(() => 0) },
    'tokenizer.ggml.token_type': { type: 'int32s', value: kinds },
    'tokenizer.ggml.unknown_token_id': count(0),
    'tokenizer.ggml.bos_token_id': count(1),
    'tokenizer.ggml.eos_token_id': count(2),
  };
}

/** Unknown, begin, end, then the 256 bytes that a SentencePiece vocabulary must have, then words. */
function tokenKinds(size: number): number[] {
  if (size < 259) throw new RangeError(`writeGguf: a vocabulary of ${size} has no room for 3 + 256 tokens`);
  const { unknown, control, byte, normal } = TOKEN;
  return Array.from({ length: size }, (_, id) => [unknown, control, control][id] ?? (id < 259 ? byte : normal));
}

function tokenText(kind: number, id: number): string {
  const hex = (id - 3).toString(16).toUpperCase().padStart(2, '0');
  return kind === TOKEN.byte ? `<0x${hex}>` : kind === TOKEN.normal ? `▁w${id}` : ['<unk>', '<s>', '</s>'][id];
}

/**
 * Rotary embedding turns column i of a head together with i + d/2 in Hugging Face's layout, columns 2i and 2i + 1
 * together in llama.cpp's; so the rows [head, half, i] that make them are put in the order [head, i, half].
 */
function interleaveHalves({ data, shape }: HostTensor, heads: number): HostTensor {
  const [rows, columns] = shape;
  const pairs = rows / heads / 2;
  const turned = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    const [head, half, i] = [Math.floor(row / pairs / 2), Math.floor(row / pairs) % 2, row % pairs];
    const target = (head * pairs + i) * 2 + half;
    turned.set(data.subarray(row * columns, (row + 1) * columns) as Float32Array, target * columns);
  }
  return { shape, data: turned };
}

function encode(name: string, { data, shape }: HostTensor, kind: GgufKind): GgufTensor {
  if (!(data instanceof Float32Array)) throw new TypeError(`writeGguf: ${name} is not of float32 numbers`);
  if (kind === 'q8_0' && shape.length === 2)
    return { name, shape, type: TENSOR.q8_0, bytes: blocksOf8Bits(name, data, shape[1]) };
  return { name, shape, type: TENSOR.f32, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}

/** Per block of 32 numbers the scale max |w| / 127 as a float16, then round(w / scale) as 8-bit integers. */
function blocksOf8Bits(name: string, values: Float32Array, columns: number): Uint8Array {
  if (columns % BLOCK !== 0)
    throw new RangeError(`writeGguf: rows of ${columns} numbers of ${name} do not divide into blocks of ${BLOCK}`);
  const blocks = new DataView(new ArrayBuffer((values.length / BLOCK) * (2 + BLOCK)));
  for (let from = 0, at = 0; from < values.length; from += BLOCK) {
    let largest = 0;
    for (let i = from; i < from + BLOCK; i++) largest = Math.max(largest, Math.abs(values[i]));
    const scale = largest / 127;
    blocks.setUint16(at, float16Bits(scale), true);
    at += 2;
    for (let i = from; i < from + BLOCK; i++) blocks.setInt8(at++, scale === 0 ? 0 : Math.round(values[i] / scale));
  }
  return new Uint8Array(blocks.buffer);
}

/** The nearest IEEE 754 binary16 of a number in [0, 65504]: n · 2^(exponent − 10), and n below 1024 only where subnormal. */
function float16Bits(value: number): number {
  const exponent = Math.max(Math.floor(Math.log2(value)), -14);
  return ((exponent + 15) << 10) + Math.round(value * 2 ** (10 - exponent)) - 1024;
}

async function writeFile(file: string, metadata: Record<string, Entry>, tensors: readonly GgufTensor[]): Promise<void> {
  const parts: Uint8Array[] = [
    Buffer.from('GGUF'),
    uint32(VERSION),
    uint64(tensors.length),
    uint64(Object.keys(metadata).length),
  ];
  for (const [key, entry] of Object.entries(metadata)) parts.push(string(key), value(entry));
  let offset = 0;
  for (const { name, shape, type, bytes } of tensors) {
    // Sizes from the innermost out, the other way round than in Hugging Face's files.
    parts.push(string(name), uint32(shape.length), ...[...shape].reverse().map(uint64), uint32(type), uint64(offset));
    offset += aligned(bytes.length);
  }
  const header = Buffer.concat(parts);
  const output = await open(file, 'w');
  try {
    for (const bytes of [header, ...tensors.map((tensor) => tensor.bytes)]) {
      await output.writeFile(bytes);
      await output.writeFile(Buffer.alloc(aligned(bytes.length) - bytes.length));
    }
  } finally {
    await output.close();
  }
}

const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

function value(entry: Entry): Uint8Array {
  switch (entry.type) {
    case 'uint32':
      return Buffer.concat([uint32(VALUE.uint32), uint32(entry.value)]);
    case 'float32':
      return Buffer.concat([uint32(VALUE.float32), numbers(Float32Array.of(entry.value))]);
    case 'string':
      return Buffer.concat([uint32(VALUE.string), string(entry.value)]);
    case 'strings':
      return array(VALUE.string, entry.value.length, Buffer.concat(entry.value.map(string)));
    case 'float32s':
      return array(VALUE.float32, entry.value.length, numbers(Float32Array.from(entry.value)));
    case 'int32s':
      return array(VALUE.int32, entry.value.length, numbers(Int32Array.from(entry.value)));
  }
}

const array = (element: number, length: number, elements: Uint8Array) =>
  Buffer.concat([uint32(VALUE.array), uint32(element), uint64(length), elements]);
const numbers = ({ buffer }: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>) => new Uint8Array(buffer);
const uint32 = (value: number) => new Uint8Array(new Uint32Array([value]).buffer);
const uint64 = (value: number) => new Uint8Array(new BigUint64Array([BigInt(value)]).buffer);

function string(value: string): Uint8Array {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(bytes.length), bytes]);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [dir, file, kind = 'f32'] = process.argv.slice(2);
  if (!dir || !file || !(kind in TENSOR))
    throw new Error('write-gguf: give the folder of a model, the file to write, and f32 or q8_0');
  await writeGguf(dir, file, kind as GgufKind);
}
