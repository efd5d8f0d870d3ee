// Defines the options of task=finetune, which trains a model on a user's own conversations or prompts and completions.
import type { TProperties } from '@sinclair/typebox';
import { loggingStepsKey } from '@bowyer/algorithms';
import {
  defaulting,
  flag,
  fraction,
  integer,
  optionalText,
  positive,
  unitOptions,
  oneProblem,
  type ConfigProblem,
} from '@bowyer/core';
import { DataFileError, dataFormatKey, dataSplitKey, pipeProblem, recordFolderOf } from '@bowyer/conversations';
import { isAdapterFolder, modelProblem } from '../../agent/folders/model-folders.js';
import {
  chatNode,
  conversationOptions,
  deviceNode,
  deviceOptions,
  gradientOptions,
  hubNode,
  templateOptions,
} from '../../agent/keys/model-keys.js';
import { loraNodeOf, optimizerNode, quantizationNode } from '../../agent/keys/policy-keys.js';
import { scheduleGroup } from '../../agent/keys/warm-start-keys.js';
import type { AgentConfig } from '../../agent/keys/agent-keys.js';
import { quantizationProblems, type QuantizationConfig } from '../../agent/policy/quantization-problems.js';
import type { Choices } from '../../agent/keys/choices.js';
import { runKeys, checkpointsNode, saveEpochs, saveMinutes, titleKeys } from '../../keys/run-keys.js';
import { loggerKeys } from '../../keys/logger-keys.js';
import { missingOptions } from '../missing-options.js';
import type { TaskConfig, TaskUnit } from '../task.js';
import { readTrainingItems } from './training-items.js';

/** The options of supervised training on a user's own data, which several tasks have. */
export const supervisedOptions = {
  data: optionalText(
    'JSON, JSONL or Parquet of conversations, of agents’ traces, or of prompts and completions ({prompt, completion}); or a folder of such files; required',
  ),
  data_format: dataFormatKey,
  data_split: dataSplitKey,
  validation_share: fraction(0.1, 'share of the items that is never trained on, but scored after every epoch'),
  epochs: integer(3, 'passes over the training items'),
  batch_size: integer(8, 'items per optimizer step'),
  grad_accum_steps: integer(
    1,
    'number of parts in which a batch runs through the model, one after the other, which takes less memory',
  ),
  lr: positive(2e-5, 'peak learning rate; with adapters about 2e-4', { flat: 'lm_lr' }),
  schedule: scheduleGroup({ kind: 'cosine', warmup_steps: -1, final_share: 0 }, { schedule: 'lm_schedule' }),
  max_grad_norm: positive(1, 'largest global norm of the gradient; a larger gradient is scaled down to it'),
  dropout: flag(false, 'training drops activations with the probabilities of the model’s config.json'),
  ...loggingStepsKey('ten lines an epoch'),
};

export const finetuneOptions = unitOptions({
  model: optionalText(
    'the model to train, required: a folder, a GGUF file, a run, an adapter, or a model of the hub (OWNER/NAME)',
  ),
  ...supervisedOptions,
});

/** The config nodes of supervised training on a user's own data, which several tasks have. */
export const supervisedKeys = (choices: Choices) => ({
  ...loggerKeys(choices),
  ...runKeys,
  device: deviceNode({ ...deviceOptions, ...gradientOptions }),
  chat: chatNode(templateOptions),
  checkpoints: checkpointsNode({ minutes: defaulting(saveMinutes, 5), epochs: saveEpochs }),
  optimizer: optimizerNode(choices.setting('optimizer.kind')),
});

const keys = (choices: Choices): TProperties => ({
  ...supervisedKeys(choices),
  ...titleKeys('finetune'),
  hub: hubNode,
  chat: chatNode({ ...templateOptions, ...conversationOptions }),
  task: finetuneOptions,
  policy: quantizationNode,
  lora: loraNodeOf(choices),
});

export const finetuneTask: TaskUnit = {
  name: 'finetune',
  description: 'train a model on your own conversations, or prompts and completions',
  keys,
  plays: false,
  async problems(config: FinetuneKeys) {
    const { model, data } = config.task;
    if (model === null || data === null)
      return missingOptions(
        'finetune',
        'a model and data',
        { model, data },
        'give both: task.model=FOLDER task.data=FILE.jsonl',
      );
    const problems: ConfigProblem[] = [];
    const problem = await modelProblem('task.model', model);
    if (problem !== null) problems.push(problem);
    else if (!config.lora.enabled && isAdapterFolder(model))
      problems.push({
        key: 'lora.enabled',
        message: `lora.enabled=false: task.model=${model} is an adapter, whose base model stays as it is`,
        remedy:
          'write lora.enabled=true to train the adapter further, or merge it before: npx bowyer --config-name convert',
      });
    problems.push(...quantizationProblems(config));
    return [...problems, ...batchProblems(config), ...(await dataProblems(config))];
  },
  load: async () => (await import('./finetune.js')).finetune,
};

type FinetuneKeys = QuantizationConfig & TaskConfig<typeof finetuneOptions> & Pick<AgentConfig, 'chat'>;

function batchProblems({ task: { batchSize, gradAccumSteps } }: FinetuneKeys): ConfigProblem[] {
  if (gradAccumSteps <= batchSize) return [];
  return oneProblem(
    'task.grad_accum_steps',
    `task.grad_accum_steps=${gradAccumSteps}: a batch of ${batchSize} items cannot be split into more than ${batchSize} parts`,
    `give task.grad_accum_steps=${batchSize} or less, or a larger task.batch_size`,
  );
}

/** Checks the complete data file before a model is downloaded or loaded. */
async function dataProblems({ task, chat }: FinetuneKeys): Promise<ConfigProblem[]> {
  const { data, dataFormat: format, dataSplit: split } = task;
  const problem = pipeProblem('task.data', data!);
  if (problem) return [problem];
  if (recordFolderOf(data!) !== null) return maskProblems(chat.template, chat.upstreamLossMask);
  try {
    const { items } = await readTrainingItems(data!, { format, split });
    if (items[0].value.kind === 'conversation') return maskProblems(chat.template, chat.upstreamLossMask);
  } catch (error) {
    if (!(error instanceof DataFileError)) throw error;
    return oneProblem('task.data', `task.data: ${error.what}`, `expected: ${error.expected}`);
  }
  const unused = {
    'chat.template': chat.template,
    'chat.template_kwargs': Object.keys(chat.templateKwargs).length > 0 ? JSON.stringify(chat.templateKwargs) : null,
    'chat.upstream_loss_mask': chat.upstreamLossMask,
  };
  return Object.entries(unused)
    .filter(([, value]) => value !== null && value !== false)
    .map(([key, value]) => ({
      key,
      message: `${key}=${String(value)} has no effect: '${data}' contains prompts with completions, which are learned as plain text`,
      remedy: `leave it out, or give conversations: {"messages": [{"role": "user", "content": "…"}, …]}`,
    }));
}

/**
 * Refuses the option for AgentGym's loss mask with a chat template that is not built in, since only built-in templates know which
 * tokens AgentGym's code trains on.
 */
function maskProblems(chatTemplate: string | null, upstreamLossMask: boolean): ConfigProblem[] {
  const isBuiltIn = chatTemplate !== null && !/[./{]/.test(chatTemplate);
  if (!upstreamLossMask || isBuiltIn) return [];
  return oneProblem(
    'chat.upstream_loss_mask',
    `chat.upstream_loss_mask=true has no effect on ${chatTemplate === null ? 'the model’s own chat template' : chatTemplate}`,
    'name a built-in template, such as chat.template=chatml, or leave it out',
  );
}
