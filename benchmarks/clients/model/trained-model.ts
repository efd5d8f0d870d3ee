// Trains a small model to learn dialogues by heart: with a tokenizer of their texts, and random initial weights.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import { bytePairTokenizer } from '@bowyer/text';

export interface Dialogue {
  messages: readonly Readonly<Record<string, unknown>>[];
  tools?: readonly object[];
}

interface Lesson {
  dialogues: readonly Dialogue[];
  /** The path of the chat template. */
  template: string;
  /** The fields of config.json, except those of the vocabulary. */
  config: Readonly<Record<string, unknown>> & { max_position_embeddings: number };
  /** The texts from which the tokenizer is made. */
  texts: readonly string[];
  /** The most tokens of the vocabulary. */
  size: number;
  /** Keys of the command `finetune`. */
  keys: Readonly<Record<string, unknown>>;
}

const marks = ['<|im_start|>', '<think>', '</think>', '<tool_call>', '</tool_call>'];

/** Lists the texts of messages, with tool calls as the templates here write them. */
export const textsOf = (dialogues: readonly Dialogue[]): string[] =>
  dialogues.flatMap(({ messages }) =>
    messages.flatMap(({ content, reasoning_content, tool_calls }) => [
      `${String(content)} ${String(reasoning_content ?? '')}`,
      JSON.stringify(tool_calls ?? '').replaceAll('":', '": '),
    ]),
  );

/**
 * Trains a model on dialogues.
 *
 * @returns the folder of the trained model, inside `folder`, whose former contents are removed
 */
export async function trainedModel(folder: string, lesson: Lesson): Promise<string> {
  rmSync(folder, { recursive: true, force: true });
  const start = join(folder, 'start');
  mkdirSync(start, { recursive: true });
  await writeUntrained(start, lesson);
  const data = join(folder, 'dialogues.jsonl');
  writeFileSync(data, lesson.dialogues.map((dialogue) => `${JSON.stringify(dialogue)}\n`).join(''));
  const save_path = join(folder, 'run');
  const keys = { model: start, data, save_path, validation_share: 0, save_minutes: 60, ...lesson.keys };
  const given = Object.entries(keys).map((pair) => pair.join('='));
  const main = join(import.meta.dirname, '../../../packages/runner/src/main.ts');
  const command = ['--conditions=source', '--import', 'tsx', main, '--config-name', 'finetune', ...given];
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`the model could not be trained: finetune ended with ${status}`);
  return join(save_path, 'checkpoints/best');
}

async function writeUntrained(dir: string, { template, config, texts, size }: Lesson): Promise<void> {
  const tokenizer = bytePairTokenizer(texts, {
    size,
    endToken: '<|im_end|>',
    wholeTokens: marks,
    chatTemplate: readFileSync(template, 'utf8'),
    contextLength: config.max_position_embeddings,
  });
  const device = await openDevice({ device: 'cpu', threads: 2 });
  const ids = { bos_token_id: null, eos_token_id: tokenizer.eosTokenId, pad_token_id: tokenizer.padTokenId };
  const whole = { ...config, ...ids, vocab_size: tokenizer.vocabSize };
  const model = await LanguageModel.create({ device, config: whole, tokenizer, rng: new Rng(1) });
  await model.saveMerged(dir);
  await device.close();
}
