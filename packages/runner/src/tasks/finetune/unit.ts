// task=finetune: a model learns from a person's own conversations or prompts and completions.
import { Type, type TProperties } from '@sinclair/typebox';
import { loggingStepsKey } from '@bowyer/algorithms';
import { count, nullable, placed, rate, share, type ConfigProblem } from '@bowyer/core';
import {
  conversationKeys,
  deviceKeys,
  hubKeys,
  isAdapterFolder,
  loraKeys,
  modelProblem,
  optimizerNode,
  policyKeys,
  quantizationProblems,
  scheduleNode,
  templateKeys,
  trainingKeys,
  type Choices,
  type QuantizationConfig,
} from '@bowyer/agent';
import { dataFormatKey, dataSplitKey, DataFileError, isRecordFolder, pipeProblem } from '@bowyer/conversations';
import { runKeys, saveEpochsKey, saveKeys, titleKeys } from '../../keys/run-keys.js';
import { loggerKeys } from '../../keys/logger-keys.js';
import type { TaskUnit } from '../task.js';
import { readTrainingItems } from './training-items.js';

/** The keys of a supervised training on a person's own data. */
export function supervisedKeys(choices: Choices) {
  return {
    ...runKeys,
    ...titleKeys,
    ...loggerKeys(choices),
    ...deviceKeys,
    ...templateKeys,
    data: nullable(
      Type.String(),
      'JSON, JSONL or Parquet of conversations, of agents’ traces, or of prompts and completions ({prompt, completion}); or a folder of such files',
    ),
    data_format: dataFormatKey,
    data_split: dataSplitKey,
    validation_share: share('share of the items that is never trained on, but scored after every epoch'),
    epochs: count('passes over the training items'),
    batch_size: count('items per optimizer step'),
    grad_accum_steps: count('parts in which a batch is run through the model, one after the other: less memory'),
    ...placed(
      'task',
      {
        lm_lr: rate('peak learning rate'),
        lm_schedule: scheduleNode('optimizer steps', 'how the learning rate changes over the steps'),
      },
      { lm_lr: 'lr', lm_schedule: 'schedule' },
    ),
    max_grad_norm: rate('largest global norm of the gradient; a larger gradient is scaled down to it'),
    dropout: Type.Boolean({
      description: 'training drops activations with the probabilities of the model’s config.json',
    }),
    ...loggingStepsKey('ten lines an epoch'),
    ...saveKeys,
    ...saveEpochsKey,
    ...trainingKeys,
    optimizer: optimizerNode(choices.setting('optimizer.kind')),
  };
}

function keys(choices: Choices): TProperties {
  const { use_lora, lora } = loraKeys;
  return {
    ...supervisedKeys(choices),
    ...hubKeys,
    ...conversationKeys,
    model: nullable(
      Type.String(),
      'the model to train: a folder, a run, an adapter, or a model of the hub (OWNER/NAME)',
    ),
    ...placed('policy', { quantization: policyKeys.quantization }),
    use_lora,
    ...(choices.setting('lora.enabled') === true && { lora }),
  };
}

export const finetuneTask: TaskUnit = {
  name: 'finetune',
  description: 'train a model on your own conversations, or prompts and completions',
  keys,
  plays: false,
  async problems(raw) {
    const config = raw as typeof raw & FinetuneKeys;
    const { model, data, useLora } = config;
    if (model === null || data === null)
      return [
        {
          key: model === null ? 'model' : 'data',
          message: `task=finetune needs a model and data: ${model === null ? 'model' : 'data'} is null`,
          remedy: 'give both: model=FOLDER data=FILE.jsonl',
        },
      ];
    const problems: ConfigProblem[] = [];
    const problem = await modelProblem('model', model);
    if (problem !== null) problems.push(problem);
    else if (!useLora && isAdapterFolder(model))
      problems.push({
        key: 'use_lora',
        message: `use_lora=false: model=${model} is an adapter, whose base model stays as it is`,
        remedy:
          'write use_lora=true to train the adapter further, or merge it before: npx bowyer --config-name convert',
      });
    problems.push(...quantizationProblems(config));
    return [...problems, ...batchProblems(config), ...(await dataProblems(config))];
  },
  load: async () => (await import('./finetune.js')).finetune,
};

interface FinetuneKeys extends QuantizationConfig {
  model: string | null;
  data: string | null;
  dataFormat: string | null;
  dataSplit: string | null;
  batchSize: number;
  gradAccumSteps: number;
  chatTemplate: string | null;
  chatTemplateKwargs: Readonly<Record<string, unknown>>;
  upstreamLossMask: boolean;
}

function batchProblems({ batchSize, gradAccumSteps }: FinetuneKeys): ConfigProblem[] {
  if (gradAccumSteps <= batchSize) return [];
  return [
    {
      key: 'grad_accum_steps',
      message: `grad_accum_steps=${gradAccumSteps}: a batch of ${batchSize} items cannot be split into more than ${batchSize} parts`,
      remedy: `give grad_accum_steps=${batchSize} or less, or a larger batch_size`,
    },
  ];
}

/** The whole file is read before a model is downloaded or loaded. */
async function dataProblems({
  data,
  dataFormat: format,
  dataSplit: split,
  ...keys
}: FinetuneKeys): Promise<ConfigProblem[]> {
  const problem = pipeProblem('data', data!);
  if (problem) return [problem];
  if (isRecordFolder(data!)) return maskProblems(keys.chatTemplate, keys.upstreamLossMask);
  try {
    const { items } = await readTrainingItems(data!, { format, split });
    if (items[0].value.kind === 'conversation') return maskProblems(keys.chatTemplate, keys.upstreamLossMask);
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    return [{ key: 'data', message: error.what, remedy: `expected: ${error.expected}` }];
  }
  const unused = {
    chat_template: keys.chatTemplate,
    chat_template_kwargs:
      Object.keys(keys.chatTemplateKwargs).length > 0 ? JSON.stringify(keys.chatTemplateKwargs) : null,
    upstream_loss_mask: keys.upstreamLossMask,
  };
  return Object.entries(unused)
    .filter(([, value]) => value !== null && value !== false)
    .map(([key, value]) => ({
      key,
      message: `${key}=${String(value)} has no effect: '${data}' contains prompts with completions, which are learned as plain text`,
      remedy: `leave it out, or give conversations: {"messages": [{"role": "user", "content": "…"}, …]}`,
    }));
}

/** Only the built-in templates know the tokens that AgentGym's code trains on. */
function maskProblems(chatTemplate: string | null, upstreamLossMask: boolean): ConfigProblem[] {
  const isBuiltIn = chatTemplate !== null && !/[./{]/.test(chatTemplate);
  if (!upstreamLossMask || isBuiltIn) return [];
  return [
    {
      key: 'upstream_loss_mask',
      message: `upstream_loss_mask=true has no effect on ${chatTemplate === null ? 'the model’s own chat template' : chatTemplate}`,
      remedy: 'name a built-in template, such as chat_template=chatml, or leave it out',
    },
  ];
}
