// Makes and trains the tiny model that the clients are tried with: node --conditions=source --import tsx benchmarks/clients/model/make-model.ts FOLDER
// A Llama of 0.3 million weights that has learnt the dialogues of dialogues.ts by heart, calls of tools in Hermes' form among them.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import { bytePairTokenizer } from './byte-pairs.js';
import { dialogues } from './dialogues.js';

const EPOCHS = 110;

const config = {
  model_type: 'llama',
  hidden_size: 96,
  intermediate_size: 192,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  max_position_embeddings: 1024,
  rope_theta: 10_000,
  tie_word_embeddings: true,
};

/** Those before the fourth are not part of a text. */
const specials = ['<pad>', '<|im_start|>', '<|im_end|>', '<think>', '</think>', '<tool_call>', '</tool_call>'];

const folder = resolve(process.argv[2] ?? 'outputs/clients-model');
const template = readFileSync(join(import.meta.dirname, 'template.jinja'), 'utf8');
rmSync(folder, { recursive: true, force: true });
const start = join(folder, 'start');
mkdirSync(start, { recursive: true });

const texts = dialogues.flatMap(({ messages }) =>
  messages.flatMap(({ content, reasoning_content, tool_calls }) => [
    `${String(content)} ${String(reasoning_content ?? '')}`,
    JSON.stringify(tool_calls ?? '').replaceAll('":', '": '),
  ]),
);
const names = ['user\nassistant\nsystem\n<tools> get_weather get_clothes </tools>\n<tool_response>\n</tool_response>'];
write('tokenizer.json', bytePairTokenizer([...texts, ...names, ...names], specials, 400));
const tokenizerConfig = {
  eos_token: '<|im_end|>',
  pad_token: '<pad>',
  model_max_length: 1024,
  chat_template: template,
};
write('tokenizer_config.json', tokenizerConfig);
const tokenizer = await loadTokenizer(start);
const device = await openDevice({ device: 'cpu', threads: 2 });
const ids = { bos_token_id: null, eos_token_id: tokenizer.eosTokenId, pad_token_id: tokenizer.padTokenId };
const whole = { ...config, ...ids, vocab_size: tokenizer.vocabSize };
const model = await LanguageModel.create({ device, config: whole, tokenizer, rng: new Rng(1) });
await model.saveMerged(start);
await device.close();
write('tokenizer_config.json', tokenizerConfig);

const data = join(folder, 'dialogues.jsonl');
writeFileSync(data, dialogues.map((dialogue) => `${JSON.stringify(dialogue)}\n`).join(''));
const keys = { epochs: EPOCHS, batch_size: dialogues.length, lm_lr: 3e-3, validation_share: 0, save_minutes: 60 };
const run = join(import.meta.dirname, '../../../packages/runner/src/main.ts');
const given = Object.entries({ model: start, data, save_path: join(folder, 'run'), ...keys }).map((pair) =>
  pair.join('='),
);
const { status } = spawnSync(
  process.execPath,
  ['--conditions=source', '--import', 'tsx', run, '--config-name', 'finetune', ...given],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;

function write(name: string, content: object): void {
  writeFileSync(join(start, name), JSON.stringify(content, null, 2));
}
