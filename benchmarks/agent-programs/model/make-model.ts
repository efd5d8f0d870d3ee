// Trains the model for the programs: a Mistral of 0.4 million weights, whose context contains the programs' prompts of 10,000
// tokens and more, and whose layers see 128 tokens each.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { textsOf, trainedModel } from '../../clients/model/trained-model.js';
import { dialoguesOf } from './dialogues.js';

const root = join(import.meta.dirname, '../../..');

const config = {
  model_type: 'mistral',
  hidden_size: 96,
  intermediate_size: 192,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 24,
  sliding_window: 128,
  max_position_embeddings: 65_536,
  rope_theta: 10_000,
  tie_word_embeddings: true,
};

/**
 * Trains the model.
 *
 * @returns the folder of the model
 */
export function makeModel(folder: string): Promise<string> {
  const book = ['README.md', 'docs/models/chat.md', 'docs/models/generation.md', 'docs/models/finetune.md']
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  const dialogues = dialoguesOf(book, 24, new Rng(1));
  return trainedModel(folder, {
    dialogues,
    template: join(import.meta.dirname, 'template.jinja'),
    config,
    texts: [...textsOf(dialogues), 'system\nuser\nassistant\n<tool_response>\n</tool_response>'],
    size: 1_763,
    keys: { epochs: 25, batch_size: 20, lm_lr: 3e-3 },
  });
}
