// A small model that has seen a few of the expert's dialogues: a Llama of 0.1 million weights with a tokenizer of its own.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { loadTokenizer } from '@bowyer/text';
import type { WarmStart } from './example.js';
import type { Dialogue } from './scripted-endpoint.js';
import { tokenizerOf } from './tokenizer.js';

const root = resolve(import.meta.dirname, '../../..');

/** Weights of a wide model begin as small as usual, those of a narrow one larger: see docs/agents/examples.md. */
const configOf = ({ width = 64, layers = 2 }: WarmStart) => ({
  model_type: 'llama',
  hidden_size: width,
  intermediate_size: 2 * width,
  num_hidden_layers: layers,
  num_attention_heads: width < 256 ? 4 : width / 64,
  max_position_embeddings: 512,
  rope_theta: 100,
  initializer_range: width < 256 ? 0.1 : 0.02,
  tie_word_embeddings: true,
});

/** @returns the folder of the trained model, below `folder` */
export async function makeModel(folder: string, dialogues: readonly Dialogue[], settings: WarmStart): Promise<string> {
  const { epochs, batchSize, lmLr } = settings;
  rmSync(folder, { recursive: true, force: true });
  const untrained = join(folder, 'start');
  mkdirSync(untrained, { recursive: true });
  await writeUntrained(untrained, dialogues, configOf(settings));
  const data = join(folder, 'dialogues.jsonl');
  writeFileSync(data, dialogues.map((dialogue) => `${JSON.stringify(dialogue)}\n`).join(''));
  const run = join(folder, 'run');
  const keys = { model: untrained, data, save_path: run, epochs, batch_size: batchSize, lm_lr: lmLr };
  const all = { ...keys, validation_share: 0, save_minutes: 60, threads: 1 };
  const given = Object.entries(all).map((pair) => pair.join('='));
  const program = ['--conditions=source', '--import', 'tsx', join(root, 'packages/runner/src/main.ts')];
  const { status } = spawnSync(process.execPath, [...program, '--config-name', 'finetune', ...given], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`the model could not be trained on ${data}: finetune ended with ${status}`);
  return join(run, 'checkpoints/best');
}

async function writeUntrained(
  folder: string,
  dialogues: readonly Dialogue[],
  config: ReturnType<typeof configOf>,
): Promise<void> {
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content, null, 2));
  write('tokenizer.json', tokenizerOf(dialogues));
  const tokenizerConfig = {
    eos_token: '<|im_end|>',
    pad_token: '<pad>',
    model_max_length: config.max_position_embeddings,
    chat_template: readFileSync(join(import.meta.dirname, 'template.jinja'), 'utf8'),
  };
  write('tokenizer_config.json', tokenizerConfig);
  const tokenizer = await loadTokenizer(folder);
  const device = await openDevice({ device: 'cpu', threads: 1 });
  try {
    const ids = { bos_token_id: null, eos_token_id: tokenizer.eosTokenId, pad_token_id: tokenizer.padTokenId };
    const whole = { ...config, ...ids, vocab_size: tokenizer.vocabSize };
    const model = await LanguageModel.create({ device, config: whole, tokenizer, rng: new Rng(1) });
    await model.saveMerged(folder);
  } finally {
    await device.close();
  }
  write('tokenizer_config.json', tokenizerConfig);
}
