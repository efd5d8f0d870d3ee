import { existsSync, readdirSync, readFileSync, truncateSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWeights, writeWeights } from '@bowyer/checkpoints';
import { loadTokenizer, wordLevelTokenizer } from '@bowyer/text';
import { newFolder } from '@bowyer/testing';
import { convertCheckpoint, type ConvertOptions } from './convert-checkpoint.js';

// The fixtures contain one GPT-2 model in the forms in which training scripts save it, all written by torch.save in
// test/make-reference-checkpoints.py.
const fixtures = fileURLToPath(new URL('../../test/fixtures', import.meta.url));
const gpt2 = join(fixtures, 'gpt2');
const pickles = fileURLToPath(new URL('../../../checkpoints/test/fixtures/pickles', import.meta.url));

let dir: string;
let words: string;
beforeEach(async () => {
  dir = newFolder();
  words = join(dir, 'words');
  await wordLevelTokenizer(['once upon a time']).save(words);
});

const convert = (options: Pick<ConvertOptions, 'input'> & Partial<ConvertOptions>) =>
  convertCheckpoint({ output: join(dir, 'out'), config: gpt2, tokenizer: words, section: null, ...options });
const messageOf = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message);

/**
 * Computes the largest relative difference between the converted and the original weights, whose names and shapes must be the
 * same.
 */
async function deviation(): Promise<number> {
  const [found, expected] = [await readWeights(join(dir, 'out')), await readWeights(gpt2)];
  expect(Object.keys(found).sort()).toEqual(Object.keys(expected).sort());
  let largest = 0;
  for (const [name, { shape, data }] of Object.entries(expected)) {
    expect(found[name].shape).toEqual(shape);
    data.forEach((x, i) => (largest = Math.max(largest, Math.abs(found[name].data[i] / x - 1))));
  }
  return largest;
}

test.each([
  ['{model_state_dict} of an agent, with its critic, causal masks and the tied head', 'gpt2-agent.pt', 0],
  ['module. before each name, bfloat16', 'gpt2-module-bf16.pt', 2 ** -8],
  ['the form of PyTorch before 1.6', 'gpt2-old-format.pt', 0],
  ['shards of float16, without the prefix of a model with a head', 'gpt2-shards-f16', 2 ** -11],
])('%s', async (_, file, rounding) => {
  const steps: [number, number][] = [];
  const { kind, tensors, parameters } = await convert({
    input: join(pickles, file),
    progress: (done, total) => steps.push([done, total]),
  });
  expect({ kind, tensors, parameters }).toEqual({ kind: 'pytorch', tensors: 28, parameters: 5176 });
  expect(steps.at(-1)).toEqual([28, 28]);
  expect(await deviation()).toBeLessThanOrEqual(rounding);
  expect(JSON.parse(readFileSync(join(dir, 'out', 'config.json'), 'utf8'))).toMatchObject({ torch_dtype: 'float32' });
  expect((await loadTokenizer(join(dir, 'out'))).encode('upon a time')).toEqual([expect.any(Number), 5, 6]);
  expect(readdirSync(dir).sort()).toEqual(['out', 'words']);
});

test('what is converted can be converted again', async () => {
  await convert({ input: join(pickles, 'gpt2-old-format.pt') });
  const { kind } = await convert({
    input: join(dir, 'out'),
    output: join(dir, 'again'),
    config: null,
    tokenizer: null,
  });
  expect(kind).toBe('safetensors');
  for (const file of ['config.json', 'model.safetensors', 'tokenizer.json'])
    expect(readFileSync(join(dir, 'again', file)).equals(readFileSync(join(dir, 'out', file)))).toBe(true);
});

test('an architecture that is not built here keeps its tensors as they are, but for counted places', async () => {
  const input = join(dir, 'rwkv');
  await writeWeights(join(dir, 'words'), {
    'module.w.weight': { shape: [2], data: Float32Array.of(1, 2) },
    'module.embeddings.position_ids': { shape: [2], data: Float32Array.of(0, 1) },
  });
  cpSync(join(dir, 'words'), input, { recursive: true });
  writeFileSync(join(input, 'config.json'), '{"model_type":"rwkv"}');
  await convert({ input, config: null, tokenizer: null });
  expect(await readWeights(join(dir, 'out'))).toEqual({ 'w.weight': { shape: [2], data: Float32Array.of(1, 2) } });
});

describe('nothing is written where', () => {
  afterEach(() => expect(readdirSync(dir).filter((name) => name.startsWith('out'))).toEqual([]));

  test('the second shard is cut off', async () => {
    const input = join(dir, 'shards');
    cpSync(join(pickles, 'gpt2-shards-f16'), input, { recursive: true });
    const shard = join(input, 'pytorch_model-00002-of-00002.bin');
    truncateSync(shard, 9000);
    expect(await messageOf(convert({ input }))).toContain(
      `Cannot read weights from ${shard}\n  the ZIP directory at its end is missing: the file is cut off`,
    );
  });

  test.each([NaN, Infinity])('a weight of torch.save is %d', async (value) => {
    const name = 'transformer.h.1.mlp.c_fc.weight';
    const { data } = (await readWeights(gpt2))[name];
    for (const file of ['gpt2-agent.pt', 'gpt2-old-format.pt']) {
      const input = join(dir, file);
      const bytes = readFileSync(join(pickles, file));
      bytes.writeFloatLE(value, bytes.indexOf(Buffer.from(data.slice(0, 4).buffer)) + 8);
      // A CRC-32 of 0 in the ZIP directory (at byte 16 of an entry) means that the file has no checksum, so that the changed
      // weight does not count as damage of the file.
      for (let at = bytes.indexOf('PK\x01\x02'); at >= 0; at = bytes.indexOf('PK\x01\x02', at + 1))
        bytes.fill(0, at + 16, at + 20);
      writeFileSync(input, bytes);
      expect(await messageOf(convert({ input }))).toMatch(
        new RegExp(
          `^Cannot read weights from ${input}\n  tensor '.*h.1.mlp.c_fc.weight': expected finite numbers, found ${value} at index 2\n`,
        ),
      );
    }
  });

  test.each([NaN, -Infinity])('a weight of llama2.c is %d', async (value) => {
    // The header states width 4, feed-forward width 1, one layer and head, 7 tokens and context 2; the floats 0 to 27 are the
    // embeddings, 28 to 31 the first norm.
    const header = Int32Array.of(4, 1, 1, 1, 1, -7, 2);
    const floats = Float32Array.from({ length: 152 }, (_, i) => (i === 30 ? value : i));
    const input = join(dir, 'tiny.bin');
    writeFileSync(input, Buffer.concat([Buffer.from(header.buffer), Buffer.from(floats.buffer)]));
    expect(await messageOf(convert({ input, config: null }))).toContain(
      `Cannot read weights from ${input}\n  tensor 'model.layers.0.input_layernorm.weight': expected finite numbers, found ${value} at index 2\n`,
    );
  });

  test('config.json is of other sizes', async () => {
    const config = join(dir, 'config.json');
    const json = JSON.parse(readFileSync(join(gpt2, 'config.json'), 'utf8')) as object;
    writeFileSync(config, JSON.stringify({ ...json, n_inner: 24 }));
    expect(await messageOf(convert({ input: join(pickles, 'gpt2-old-format.pt'), config }))).toContain(
      "gpt2-old-format.pt, tensor 'transformer.h.0.mlp.c_fc.weight'\n  expected shape [16, 24], as config.json specifies\n  found shape [16, 20]",
    );
  });

  test('there is no config.json, no tokenizer, or one of another model', async () => {
    const input = join(pickles, 'gpt2-old-format.pt');
    expect(await messageOf(convert({ input, config: null }))).toContain(`there is no ${join(pickles, 'config.json')}`);
    expect(await messageOf(convert({ input, tokenizer: null }))).toContain('weight files contain no tokenizer');
    await wordLevelTokenizer([Array.from({ length: 30 }, (_, i) => `w${i}`).join(' ')]).save(words);
    expect(await messageOf(convert({ input }))).toContain("the tokenizer has 33 tokens, the model's vocab_size is 29");
  });
});

test('a folder that is not empty is left alone', async () => {
  const input = join(pickles, 'gpt2-old-format.pt');
  expect(await messageOf(convert({ input, output: words }))).toBe(
    `convert: the folder '${words}' is not empty\n  give a new one, or remove it`,
  );
  expect(existsSync(join(words, 'tokenizer.json'))).toBe(true);
});
