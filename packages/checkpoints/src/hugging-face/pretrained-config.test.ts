import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDecoderConfig, readPretrainedConfig } from './pretrained-config.js';
import { newFolder } from '@bowyer/testing';

let dir: string;
beforeEach(() => (dir = newFolder()));
const put = (name: string, text = '') => writeFileSync(join(dir, name), text);
const lastLine =
  '  a Hugging Face model directory contains config.json, tokenizer.json, and model.safetensors or model.safetensors.index.json with its shards';

test('reads config.json if the folder has weights too', async () => {
  put('config.json', '{"model_type": "gpt2", "n_layer": 2}');
  put('model.safetensors');
  expect(await readPretrainedConfig(dir)).toEqual({ model_type: 'gpt2', n_layer: 2 });
});

test.each([
  ['nothing', [], ['it has no config.json', 'it is empty']],
  ['no config', ['tokenizer.json'], ['it has no config.json', 'it contains tokenizer.json']],
  ['no weights', ['config.json'], ['it has no weights in safetensors format', 'it contains config.json']],
  [
    'PyTorch weights only',
    ['config.json', 'pytorch_model.bin'],
    [
      'it has no weights in safetensors format',
      "it has pytorch_model.bin: convert it with 'npx bowyer --config-name convert task.input=FILE task.output=DIRECTORY'",
    ],
  ],
])('a directory with %s', async (_, files, lines) => {
  for (const file of files) put(file, '{}');
  await expect(readPretrainedConfig(dir)).rejects.toThrow(
    [`Cannot load a model from ${dir}`, ...lines.map((line) => `  ${line}`), lastLine].join('\n'),
  );
});

test('a missing directory', async () => {
  const nowhere = join(dir, 'nowhere');
  await expect(readPretrainedConfig(nowhere)).rejects.toThrow(
    [`Cannot load a model from ${nowhere}`, '  the directory does not exist', lastLine].join('\n'),
  );
});

test('the end tokens are those of generation_config.json if it has some', async () => {
  put('config.json', '{"model_type": "llama", "eos_token_id": 2}');
  put('model.safetensors');
  expect(await readDecoderConfig(dir)).toEqual({ model_type: 'llama', eos_token_id: 2 });
  put('generation_config.json', '{"temperature": 0.6}');
  expect(await readDecoderConfig(dir)).toEqual({ model_type: 'llama', eos_token_id: 2 });
  put('generation_config.json', '{"eos_token_id": [2, 5, 7]}');
  expect(await readDecoderConfig(dir)).toEqual({ model_type: 'llama', eos_token_id: [2, 5, 7] });
  put('generation_config.json', '{');
  await expect(readDecoderConfig(dir)).rejects.toThrow('its generation_config.json is not JSON');
});
