import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { exportGguf, LanguageModel } from '@bowyer/models';
import { newFolder } from '@bowyer/testing';
import { HuggingFaceTokenizer } from '@bowyer/text';
import { useLocalModels } from './hub-models.js';
import { modelNameOf, modelProblem } from './model-folders.js';

const lines: string[] = [];
const reporting = { log: (line: string) => void lines.push(line), progress: { write: () => undefined } };

/** Writes a Llama model whose vocabulary is a few letters as a GGUF file. */
async function writeGguf(dir: string): Promise<string> {
  const tokenizer = new HuggingFaceTokenizer(
    {
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
      decoder: { type: 'ByteLevel' },
      model: { type: 'BPE', vocab: { a: 0, b: 1, ab: 2 }, merges: [['a', 'b']] },
    },
    { eos_token: 'b', chat_template: '{{ messages[0].content }}' },
  );
  const device = await openDevice({ device: 'cpu', threads: 1 });
  const model = await LanguageModel.create({
    device,
    config: {
      model_type: 'llama',
      vocab_size: 3,
      hidden_size: 8,
      intermediate_size: 8,
      num_hidden_layers: 1,
      num_attention_heads: 2,
      num_key_value_heads: 1,
      max_position_embeddings: 16,
    },
    tokenizer,
    rng: new Rng(1),
  });
  await model.save(join(dir, 'model'));
  await device.close();
  const output = join(dir, 'small.gguf');
  await exportGguf({ dir: join(dir, 'model'), output, dtype: 'f16', merge: false, name: 'small' });
  return output;
}

test('a GGUF file is converted to a folder once, which is then used in its place', async () => {
  const dir = newFolder();
  const file = await writeGguf(dir);
  expect(await modelProblem('model', file)).toBeNull();
  const [cacheDir, config] = [
    join(dir, 'cache'),
    () => ({ policy: { model: file }, task: { model: file }, warmStart: { cacheDir: join(dir, 'cache') } }),
  ];
  const first = config();
  await useLocalModels(first, reporting);
  const folder = first.task.model;
  expect(folder.startsWith(join(cacheDir, 'converted', 'small-'))).toBe(true);
  expect(first.policy.model).toBe(folder);
  expect(modelNameOf(folder)).toBe('small');
  expect(readFileSync(join(folder, 'tokenizer_config.json'), 'utf8')).toContain('{{ messages[0].content }}');
  expect(lines.map((line) => line.replace(/^\S+: /, '').replace(/ \S+$/, ''))).toEqual([
    'converted to',
    'converted before, in',
  ]);
});

test('a GGUF file that is not there is no model of the hub, whatever its name looks like', async () => {
  expect(await modelProblem('model', 'models/missing.gguf')).toMatchObject({
    key: 'model',
    message: "model: there is no file 'models/missing.gguf'",
  });
});

test('a file that was removed before it is needed is an error with its name', async () => {
  const file = join(newFolder(), 'gone.gguf');
  await expect(useLocalModels({ task: { model: file } }, reporting)).rejects.toThrow(
    `Cannot read weights from ${file}\n  there is no such file`,
  );
});

test('a GGUF file that cannot be read leaves nothing in the cache', async () => {
  const dir = newFolder();
  const file = join(dir, 'broken.gguf');
  writeFileSync(file, 'GGUF');
  const config = { task: { model: file }, cacheDir: join(dir, 'cache') };
  await expect(useLocalModels(config, reporting)).rejects.toThrow(`Cannot read weights from ${file}`);
  expect(existsSync(join(dir, 'cache', 'converted', 'broken'))).toBe(false);
});
