// Defines the options of task=start_model, which trains a small model from scratch on an agent's recordings or conversations.
import { defaulting, integer, optional, unitOptions, oneProblem, type ConfigProblem } from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import { DataFileError, pipeProblem } from '@bowyer/conversations';
import { titleKeys } from '../../keys/run-keys.js';
import { supervisedKeys, supervisedOptions } from '../finetune/unit.js';
import { readTrainingItems } from '../finetune/training-items.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';

const { lr, batch_size, epochs } = supervisedOptions;

export const startModelOptions = unitOptions({
  ...supervisedOptions,
  lr: defaulting(lr, 4e-3),
  batch_size: defaulting(batch_size, 16),
  epochs: optional(
    () => epochs,
    'passes over the training items; null: as many as take 300 optimizer steps, at least 3',
  ),
  width: Type.Integer({
    minimum: 8,
    multipleOf: 8,
    default: 64,
    description: 'size of the hidden states, a multiple of 64 from 256 on; 64 with two layers: 0.1 million weights',
  }),
  layers: integer(2, 'layers of the decoder'),
  vocabulary_size: integer(
    1024,
    'tokens of the tokenizer; lines that dialogues share and the 256 bytes are always in it',
  ),
  context_length: optional(
    integer,
    'tokens of the longest text that the model reads; null: twice the longest dialogue',
  ),
});

type StartModelTask = TaskConfig<typeof startModelOptions>;

export const startModelTask: TaskUnit = {
  name: 'start_model',
  description:
    'make a small model that can call tools, without a download, from recorded calls of an agent or from conversations',
  keys: (choices) => ({
    ...supervisedKeys(choices),
    ...titleKeys('start_model', 'agents'),
    task: startModelOptions,
  }),
  plays: false,
  async problems({ task }: StartModelTask) {
    if (task.data === null)
      return missingOptions(
        'start_model',
        'dialogues to learn from',
        { data: null },
        'give conversations.jsonl of record_agent, or lines with {"messages": […], "tools": […]}: task.data=FILE.jsonl',
      );
    return [...widthProblems(task), ...(await dataProblems(task.data, task))];
  },
  load: async () => (await import('./start-model.js')).startModel,
};

/** Refuses a width that cannot be divided into attention heads, which have 64 dimensions in models of width 256 and more. */
function widthProblems({ width }: StartModelTask['task']): ConfigProblem[] {
  if (width < 256 || width % 64 === 0) return [];
  return oneProblem(
    'task.width',
    `task.width=${width} is not a multiple of 64, the size of an attention head`,
    `write task.width=${64 * Math.round(width / 64)}`,
  );
}

async function dataProblems(
  data: string,
  { dataFormat: format, dataSplit: split }: StartModelTask['task'],
): Promise<ConfigProblem[]> {
  const problem = pipeProblem('task.data', data);
  if (problem) return [problem];
  try {
    const { items } = await readTrainingItems(data, { format, split });
    if (items[0].value.kind === 'conversation') return [];
    return oneProblem(
      'task.data',
      `'${data}' contains prompts with completions, and an agent speaks in dialogues`,
      'give conversations: {"messages": [{"role": "user", "content": "…"}, …]}',
    );
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    return oneProblem('task.data', `task.data: ${error.what}`, `expected: ${error.expected}`);
  }
}
