// Tests model directories with one fault each: the message names the file, the tensor or field, what was expected and found, and the
// remedy.
import { cpSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '../src/language-model/language-model.js';
import { loadTextModel } from '../src/inference/load-text-model.js';
import { wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';

/** 8 tokens: three special ones and five words. */
const config = {
  model_type: 'llama',
  vocab_size: 8,
  hidden_size: 4,
  intermediate_size: 6,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  max_position_embeddings: 16,
  tie_word_embeddings: true,
};
const device = await openDevice({ device: 'cpu', threads: 1 });
const root = newFolder();
const good = join(root, 'good');
const model = await LanguageModel.create({
  device,
  config,
  tokenizer: wordLevelTokenizer(['a b c d e']),
  rng: new Rng(0),
});
await model.save(good);
await model.release();
afterAll(() => device.close());

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}
type Stored = Map<string, { dtype: string; shape: number[]; bytes: Buffer }>;

function readStored(path: string): Stored {
  const file = readFileSync(path);
  const start = 8 + Number(file.readBigUInt64LE(0));
  const { __metadata__: _, ...header } = JSON.parse(file.toString('utf8', 8, start)) as Record<string, Entry>;
  return new Map(
    Object.entries(header).map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [begin, end],
        },
      ]) => [name, { dtype, shape, bytes: file.subarray(start + begin, start + end) }],
    ),
  );
}

function writeStored(path: string, tensors: Stored): void {
  let end = 0;
  const entries = [...tensors].map(([name, { dtype, shape, bytes }]) => [
    name,
    { dtype, shape, data_offsets: [end, (end += bytes.length)] },
  ]);
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  writeFileSync(path, Buffer.concat([length, header, ...[...tensors.values()].map(({ bytes }) => bytes)]));
}

/** Copies the good directory and changes the copy. */
function changed(change: (dir: string) => void): string {
  const dir = mkdtempSync(join(root, 'case-'));
  cpSync(good, dir, { recursive: true });
  change(dir);
  return dir;
}

const weightsOf = (dir: string) => join(dir, 'model.safetensors');
const withTensors = (change: (tensors: Stored) => void) =>
  changed((dir) => {
    const tensors = readStored(weightsOf(dir));
    change(tensors);
    writeStored(weightsOf(dir), tensors);
  });
const withConfig = (changes: object) =>
  changed((dir) => writeFileSync(join(dir, 'config.json'), JSON.stringify({ ...config, ...changes })));
const withText = (file: string, text: string) => changed((dir) => writeFileSync(join(dir, file), text));

const load = async (dir: string) => (await loadTextModel({ device, dir })).release();
/** Returns the error message without the directory's name. */
const messageOf = (dir: string) =>
  load(dir).then(
    () => 'loaded',
    (error: Error) => error.message.replaceAll(dir, 'DIR'),
  );

const UP = 'model.layers.1.mlp.up_proj.weight';
const again = 'download or save both again';

test.each<[string, (tensors: Stored) => void, string]>([
  [
    'missing',
    (tensors) => tensors.delete(UP),
    `Cannot read DIR/model.safetensors, tensor '${UP}'\n  expected shape [6, 4], as config.json specifies\n` +
      '  found no such tensor among the 19 tensors model.embed_tokens.weight, model.layers.0.input_layernorm.weight, model.layers.0.self_attn.q_proj.weight, model.layers.0.self_attn.k_proj.weight, …\n' +
      `  config.json and the weights must belong to the same model: ${again}`,
  ],
  [
    'too many',
    (tensors) => tensors.set('model.layers.2.bias', { dtype: 'F32', shape: [1], bytes: Buffer.alloc(4) }),
    "Cannot read DIR/model.safetensors, tensor 'model.layers.2.bias'\n" +
      '  expected only tensors of the model that config.json describes (20 of them)\n' +
      `  found this one as well, of shape [1]\n  config.json and the weights must belong to the same model: ${again}`,
  ],
  [
    'of another shape',
    (tensors) => (tensors.get(UP)!.shape = [4, 6]),
    `Cannot read DIR/model.safetensors, tensor '${UP}'\n  expected shape [6, 4], as config.json specifies\n  found shape [4, 6]\n` +
      `  config.json and the weights must belong to the same model: ${again}`,
  ],
  ...(['I32', 'BOOL', 'I8'] as const).map((dtype): [string, (tensors: Stored) => void, string] => [
    `of ${dtype}`,
    (tensors) => tensors.set(UP, { dtype, shape: [6, 4], bytes: Buffer.alloc(24 * (dtype === 'I32' ? 4 : 1)) }),
    `Cannot read DIR/model.safetensors, tensor '${UP}'\n  expected a dtype of F32, F16, BF16, F64\n  found ${dtype}\n` +
      '  quantised weights cannot be read: use the model in float32, float16 or bfloat16',
  ]),
  ...[NaN, Infinity].map((value): [string, (tensors: Stored) => void, string] => [
    `with ${value}`,
    (tensors) => tensors.get(UP)!.bytes.writeFloatLE(value, 20),
    `Cannot read DIR/model.safetensors, tensor '${UP}'\n  expected finite numbers\n  found ${value} at index 5\n` +
      '  training diverged or the file is damaged: use an earlier checkpoint or download it again',
  ]),
])('a tensor %s', async (_, change, message) => {
  expect(await messageOf(withTensors(change))).toBe(message);
});

test('what may be there: the tied head once more, rotary tables, 16-bit floats, no prefix', async () => {
  const dir = withTensors((tensors) => {
    tensors.set('lm_head.weight', tensors.get('model.embed_tokens.weight')!);
    tensors.set('model.layers.0.self_attn.rotary_emb.inv_freq', { dtype: 'F32', shape: [1], bytes: Buffer.alloc(4) });
    tensors.set(UP, { dtype: 'BF16', shape: [6, 4], bytes: Buffer.alloc(48) });
    tensors.set('norm.weight', tensors.get('model.norm.weight')!);
    tensors.delete('model.norm.weight');
  });
  expect(await messageOf(dir)).toBe('loaded');
});

test.each<[object, string]>([
  [
    { hidden_act: 'swiglu' },
    'DIR/config.json of a \'llama\' model: hidden_act is "swiglu", which is not supported; known: silu,',
  ],
  [
    { rope_scaling: { rope_type: 'spiral', factor: 4 } },
    'DIR/config.json of a \'llama\' model: rope_scaling.rope_type is "spiral", which is not supported; known: default, linear,',
  ],
  [
    { rope_scaling: 'linear' },
    `DIR/config.json of a 'llama' model: rope_scaling must be an object or null, not "linear"`,
  ],
  [{ model_type: undefined }, 'DIR/config.json: model_type is missing; supported language models: gpt2,'],
  [{ model_type: 'rwkv' }, 'DIR/config.json: model_type is "rwkv", which is not supported; supported language models'],
  [{ model_type: 'constructor' }, 'DIR/config.json: model_type is "constructor", which is not supported'],
  [
    { model_type: 'albert' },
    'DIR/config.json: model_type is "albert", an encoder, which cannot generate text: it can be a critic',
  ],
  [
    { num_hidden_layers: 1e9 },
    "DIR/config.json of a 'llama' model: num_hidden_layers is 1000000000; no model has more than 4096",
  ],
  [{ quantization_config: { bits: 4 } }, 'quantization_config is {"bits":4}, which is not supported'],
  [{ hidden_size: '4' }, 'DIR/config.json of a \'llama\' model: hidden_size must be a positive integer, not "4"'],
])('config.json with %j', async (changes, message) => {
  expect(await messageOf(withConfig(changes))).toContain(message);
});

test.each([
  ['config.json', '{"a":', 'its config.json is not JSON: Unexpected end of JSON input'],
  ['config.json', 'null', 'its config.json is not a JSON object: null'],
  ['config.json', '[]', 'its config.json is not a JSON object: []'],
  ['tokenizer.json', '{', 'Tokenizer: DIR/tokenizer.json is not JSON: '],
  ['tokenizer.json', 'null', 'Tokenizer: DIR/tokenizer.json is not a JSON object: null\n  download the file again'],
  [
    'tokenizer.json',
    '{"model":{"type":"Magic"}}',
    'DIR/tokenizer.json has a model.type of "Magic", which is not supported\n  known: BPE,',
  ],
  ['tokenizer_config.json', '[1]', 'Tokenizer: DIR/tokenizer_config.json is not a JSON object: [1]'],
  [
    'model.safetensors',
    'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12345\n',
    "found a Git LFS pointer instead of the file\n  download the file itself: 'git lfs pull'",
  ],
])('%s with %s', async (file, text, message) => {
  expect(await messageOf(withText(file, text))).toContain(message);
});

test('a header length that is a little too long or too short', async () => {
  for (const [lie, found] of [
    [8, 'bytes that are not valid UTF-8'],
    [-8, 'Unterminated string|Expected|Unexpected end'],
  ] as const) {
    const dir = changed((place) => {
      const bytes = readFileSync(weightsOf(place));
      bytes.fill(0xff, 8 + Number(bytes.readBigUInt64LE(0)), 16 + Number(bytes.readBigUInt64LE(0)));
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE(0) + BigInt(lie), 0);
      writeFileSync(weightsOf(place), bytes);
    });
    expect(await messageOf(dir)).toMatch(
      new RegExp(
        `^Cannot read DIR/model.safetensors\n  expected a JSON object as header, in the \\d+ bytes given by .*\n  found (${found})`,
      ),
    );
  }
});

describe('tokenizer and word table', () => {
  const rows = (count: number) =>
    changed((dir) => {
      const tensors = readStored(weightsOf(dir));
      tensors.set('model.embed_tokens.weight', { dtype: 'F32', shape: [count, 4], bytes: Buffer.alloc(16 * count) });
      writeStored(weightsOf(dir), tensors);
      writeFileSync(join(dir, 'config.json'), JSON.stringify({ ...config, vocab_size: count }));
    });

  test('rows rounded up to a multiple of 128 are accepted', async () => {
    expect(await messageOf(rows(128))).toBe('loaded');
  });

  test('fewer rows than tokens, and far more', async () => {
    expect(await messageOf(rows(7))).toBe(
      "DIR: the tokenizer has 8 tokens, the model's vocab_size is 7\n" +
        '  expected at least 8 rows in the token embedding: ids from 7 on have no row\n' +
        '  they do not belong together: put the tokenizer.json of this model in the directory of its config.json',
    );
    expect(await messageOf(rows(200))).toContain(
      "the tokenizer has 8 tokens, the model's vocab_size is 200\n  expected 73 to 200 tokens: more rows without a token",
    );
  });

  test('vocab_size that is not the table’s', async () => {
    expect(await messageOf(withConfig({ vocab_size: 10 }))).toContain(
      "tensor 'model.embed_tokens.weight'\n  expected shape [10, 4], as config.json specifies\n  found shape [8, 4]",
    );
  });
});

test('shards: one that is absent, a tensor that the index promises in vain, one that it does not list', async () => {
  const sharded = (change: (map: Record<string, string>) => void) =>
    changed((dir) => {
      const map = Object.fromEntries([...readStored(weightsOf(dir)).keys()].map((name) => [name, 'one.safetensors']));
      renameSync(weightsOf(dir), join(dir, 'one.safetensors'));
      change(map);
      writeFileSync(`${weightsOf(dir)}.index.json`, JSON.stringify({ weight_map: map }));
    });
  expect(await messageOf(sharded(() => undefined))).toBe('loaded');
  expect(await messageOf(sharded((map) => (map[UP] = 'two.safetensors')))).toBe(
    "Cannot read DIR/model.safetensors.index.json\n  expected the shard 'two.safetensors' beside it, as weight_map specifies\n" +
      '  found no such file\n  the model is incomplete: download the missing shard, or the whole model again',
  );
  expect(await messageOf(sharded((map) => (map['model.other'] = 'one.safetensors')))).toContain(
    "Cannot read DIR/one.safetensors, tensor 'model.other'\n  expected the tensor that the index lists\n  found none",
  );
  expect(await messageOf(sharded((map) => delete map[UP]))).toContain(
    `Cannot read DIR/model.safetensors.index.json, tensor '${UP}'\n  expected shape [6, 4], as config.json specifies\n  found no such tensor among the 19 tensors`,
  );
});
