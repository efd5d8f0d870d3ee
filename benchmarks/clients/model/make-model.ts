// Trains the tiny model for the clients: a Llama of 0.3 million weights that has learned the dialogues of dialogues.ts by heart,
// including tool calls in Hermes' form.
import { join } from 'node:path';
import { dialogues } from './dialogues.js';
import { textsOf, trainedModel } from './trained-model.js';

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

const names = ['user\nassistant\nsystem\n<tools> get_weather get_clothes </tools>\n<tool_response>\n</tool_response>'];

/**
 * Trains the model.
 *
 * @returns the folder of the model
 */
export const makeModel = (folder: string): Promise<string> =>
  trainedModel(folder, {
    dialogues,
    template: join(import.meta.dirname, 'template.jinja'),
    config,
    texts: [...textsOf(dialogues), ...names, ...names],
    size: 663,
    keys: { epochs: 110, batch_size: dialogues.length, lm_lr: 3e-3 },
  });
