import { Rng } from '@bowyer/core';
import { openDevice } from '@bowyer/graph';
import { LanguageModel } from '@bowyer/models';
import type { Tokenizer } from '@bowyer/text';

/** Saves a GPT-2 of one block with random weights, whose context has the given length. @param changes to its config */
export async function saveTinyModel(
  folder: string,
  tokenizer: Tokenizer,
  contextLength: number,
  changes: { n_embd?: number; initializer_range?: number } = {},
): Promise<void> {
  await using device = await openDevice({ device: 'cpu', threads: 1 });
  const config = { model_type: 'gpt2', n_layer: 1, n_head: 2, n_embd: 16, n_positions: contextLength, ...changes };
  const model = await LanguageModel.create({ device, tokenizer, config, rng: new Rng(3) });
  await model.save(folder);
  await model.release();
}
