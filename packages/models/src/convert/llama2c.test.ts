import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordings, newFolder, whenRecorded } from '@bowyer/testing';
import { readLlama2c, readSafetensors } from '@bowyer/checkpoints';
import { loadTokenizer } from '@bowyer/text';
import { readLlama2cTokenizer } from './llama2c-tokenizer.js';

const models = recordings('models');
const maybe = whenRecorded('models').test;

const dir = newFolder();

maybe.each([
  ['llama-stories260k', 'stories260K.bin'],
  ['llama-babyllama-105', 'model5000.bin'],
])('%s: the .bin is the same model as its safetensors, bit for bit', async (folder, file) => {
  const { config, tensors } = await readLlama2c(join(models, folder, file));
  const expected = await readSafetensors(join(models, folder, 'model.safetensors'));
  expect(Object.keys(tensors).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, { shape, data }] of Object.entries(expected)) {
    expect(tensors[name].shape).toEqual(shape);
    expect(Buffer.compare(Buffer.from(tensors[name].data.buffer), Buffer.from(data.buffer))).toBe(0);
  }
  const published = JSON.parse(readFileSync(join(models, folder, 'config.json'), 'utf8')) as Record<string, unknown>;
  expect(published).toMatchObject(config);
});

maybe.each([
  ['llama-stories260k', 'tok512.bin'],
  ['tokenizer-llama2', 'tokenizer.bin'],
])('%s: the tokenizer.bin has the ids and texts of its tokenizer.json', async (folder, file) => {
  const [read, published] = [
    await readLlama2cTokenizer(join(models, folder, file)),
    await loadTokenizer(join(models, folder)),
  ];
  expect(read.vocabSize).toBe(published.vocabSize);
  for (const text of ['Once upon a time, there was a little girl.', ' two  blanks', 'naïve 東京 🙂\n', '']) {
    expect(read.encodeWithSpecials(text)).toEqual(published.encodeWithSpecials(text));
    expect(read.decode(read.encode(text))).toBe(published.decode(published.encode(text)));
  }
});

/** Writes a weights file of llama2.c with this header, whose floats are 0, 1, 2, … */
async function write(header: number[], floats: number): Promise<string> {
  const path = join(dir, 'tiny.bin');
  const bytes = Buffer.concat([
    Buffer.from(Int32Array.from(header).buffer),
    Buffer.from(Float32Array.from({ length: floats }, (_, i) => i).buffer),
  ]);
  await writeFile(path, bytes);
  return path;
}

test('pairs of columns become halves; a negative vocabulary size means an output matrix of its own', async () => {
  // The header states width 4, feed-forward width 1, 1 layer, 1 head, vocabulary 1 (negative: the output has its own weights) and
  // context 2. The file thus has 4 + 4 + 4 · 16 + 4 + 3 · 4 + 4 floats, then rotary tables of 2 · 4 and the output's 4.
  const { config, tensors } = await readLlama2c(await write([4, 1, 1, 1, 1, -1, 2], 104));
  expect(config).toMatchObject({ tie_word_embeddings: false, vocab_size: 1 });
  // Row r of the query's weight begins with 8 + 4 r in the file; the conversion puts the rows in the order 0 2 1 3, as Hugging
  // Face's rotary embedding requires.
  const { data } = tensors['model.layers.0.self_attn.q_proj.weight'];
  expect([0, 4, 8, 12].map((i) => data[i])).toEqual([8, 16, 12, 20]);
  expect([...tensors['lm_head.weight'].data]).toEqual([100, 101, 102, 103]);
});

test('a file that is not what its header specifies is refused', async () => {
  const path = await write([4, 1, 1, 1, 1, 1, 2], 99);
  await expect(readLlama2c(path)).rejects.toThrow(
    `Cannot read weights from ${path}\n  its header requires 428 bytes, the file has 424\n`,
  );
  await expect(readLlama2c(await write([4, 1, 1, 1, 1, 1, 2], 20))).rejects.toThrow(
    'its header requires 428 bytes, the file has 108',
  );
  await expect(readLlama2c(await write([4, 1, 1, 3, 1, 1, 2], 99))).rejects.toThrow('contains no valid model sizes');
  await expect(readLlama2c(await write([0x616b3432, 2, 0, 0, 0, 0, 0], 99))).rejects.toThrow(
    "it is of version 2 of llama2.c's format\n  only version 0 is read: export it with --version 0",
  );
  const cut = join(dir, 'cut-tokenizer.bin');
  await writeFile(cut, (await readFile(path)).subarray(0, 10));
  await expect(readLlama2cTokenizer(cut)).rejects.toThrow(
    `Cannot read weights from ${cut}\n  piece 0 at byte 4 extends beyond`,
  );
});
