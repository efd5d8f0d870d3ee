// task=start_model: a small model from records or conversations, for an agent that has none.
import { count, nullable, type ConfigProblem } from '@bowyer/core';
import { Type, type TProperties } from '@sinclair/typebox';
import { DataFileError, pipeProblem } from '@bowyer/conversations';
import type { Choices } from '@bowyer/agent';
import { supervisedKeys } from '../finetune/unit.js';
import { readTrainingItems } from '../finetune/training-items.js';
import type { TaskUnit } from '../task.js';

function keys(choices: Choices): TProperties {
  const { epochs, ...supervised } = supervisedKeys(choices);
  return {
    ...supervised,
    epochs: nullable(epochs, 'passes over the training items; null: as many as take 300 optimizer steps, at least 3'),
    width: Type.Integer({
      minimum: 8,
      multipleOf: 8,
      description: 'size of the hidden states, a multiple of 64 from 256 on',
    }),
    layers: count('layers of the decoder'),
    vocabulary_size: count('tokens of the tokenizer; lines that dialogues share and the 256 bytes are always in it'),
    context_length: nullable(
      count('tokens of the longest text that the model reads'),
      'tokens of the longest text that the model reads; null: twice the longest dialogue',
    ),
  };
}

interface StartKeys {
  data: string | null;
  dataFormat: string | null;
  dataSplit: string | null;
  width: number;
}

export const startModelTask: TaskUnit = {
  name: 'start_model',
  description: 'make a small model for an agent from its records or conversations, with tools and without a download',
  keys,
  plays: false,
  async problems(raw) {
    const config = raw as typeof raw & StartKeys;
    if (config.data === null)
      return [
        {
          key: 'data',
          message: 'task=start_model needs dialogues to learn from: data is null',
          remedy:
            'give conversations.jsonl of record_agent, or lines with {"messages": […], "tools": […]}: data=FILE.jsonl',
        },
      ];
    return [...widthProblems(config), ...(await dataProblems(config.data, config))];
  },
  load: async () => (await import('./start-model.js')).startModel,
};

/** Heads have 64 dimensions from this width on. */
function widthProblems({ width }: StartKeys): ConfigProblem[] {
  if (width < 256 || width % 64 === 0) return [];
  return [
    {
      key: 'width',
      message: `width=${width} is not a multiple of 64, the size of an attention head`,
      remedy: `write width=${64 * Math.round(width / 64)}`,
    },
  ];
}

async function dataProblems(
  data: string,
  { dataFormat: format, dataSplit: split }: StartKeys,
): Promise<ConfigProblem[]> {
  const problem = pipeProblem('data', data);
  if (problem) return [problem];
  try {
    const { items } = await readTrainingItems(data, { format, split });
    if (items[0].value.kind === 'conversation') return [];
    return [
      {
        key: 'data',
        message: `'${data}' contains prompts with completions, and an agent speaks in dialogues`,
        remedy: 'give conversations: {"messages": [{"role": "user", "content": "…"}, …]}',
      },
    ];
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    return [{ key: 'data', message: error.what, remedy: `expected: ${error.expected}` }];
  }
}
