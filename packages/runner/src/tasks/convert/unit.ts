// Defines the options of task=convert, which writes weights of PyTorch or llama2.c, or an adapter merged into its base model, as
// a folder in Hugging Face's format.
import { optionalText, unitOptions } from '@bowyer/core';
import { quantizationNode } from '../../agent/keys/policy-keys.js';
import { seedlessKeys } from '../../keys/run-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const convertOptions = unitOptions({
  input: optionalText('file or folder of weights, or the folder of an adapter; required'),
  output: optionalText('folder to write; required'),
  config: optionalText(
    'config.json, or the folder of a model of the same sizes; null: the one in the folder of the weights, else derived from them',
  ),
  tokenizer: optionalText(
    'folder with tokenizer.json, or a tokenizer file of llama2.c; null: the folder of the config or of the weights',
  ),
  section: optionalText(
    'key of the state dict in a PyTorch file, for instance critic_state_dict; null: the usual keys',
  ),
});

export const convertTask: TaskUnit = {
  name: 'convert',
  description: 'write weights of another format, or an adapter merged into its base, as a Hugging Face folder',
  keys: () => ({ ...seedlessKeys, task: convertOptions, policy: quantizationNode }),
  plays: false,
  problems: ({ task: { input, output } }: TaskConfig<typeof convertOptions>) =>
    missingOptions(
      'convert',
      'weights to read and a folder to write',
      { input, output },
      'give both: task.input=FILE_OR_FOLDER task.output=FOLDER',
    ),
  load: async () => (await import('./convert.js')).convert,
};
