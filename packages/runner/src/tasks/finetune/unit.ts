// task=finetune: a model learns from a person's own conversations or prompts and completions.
import { existsSync } from 'node:fs';
import { Type, type TProperties } from '@sinclair/typebox';
import { count, nullable, rate, share } from '@bowyer/core';
import { modelProblem } from '../../agent/model-folders.js';
import {
  conversationKeys,
  deviceKeys,
  hubKeys,
  loraKeys,
  optimizerNode,
  policyKeys,
  runKeys,
  scheduleNode,
  templateKeys,
  titleKeys,
  trainingKeys,
  undecided,
} from '../../config/keys.js';
import type { Choices, ConfigProblem, TaskUnit } from '../task.js';

function keys(choices: Choices): TProperties {
  const { use_lora, lora } = loraKeys;
  return {
    ...runKeys,
    ...titleKeys,
    ...deviceKeys,
    ...hubKeys,
    ...templateKeys,
    ...conversationKeys,
    model: nullable(
      Type.String(),
      'the model to train: a folder, a run, an adapter, or a model of the hub (OWNER/NAME)',
    ),
    data: nullable(
      Type.String(),
      'JSON or JSONL of conversations ({messages}, {conversations}) or of prompts and completions ({prompt, completion})',
    ),
    validation_share: share('share of the items that is never trained on, but scored after every epoch'),
    epochs: count('passes over the training items'),
    batch_size: count('items per optimizer step'),
    grad_accum_steps: count('parts in which a batch is run through the model, one after the other: less memory'),
    lm_lr: rate('peak learning rate'),
    lm_schedule: scheduleNode('optimizer steps', 'how the learning rate changes over the steps'),
    max_grad_norm: rate('bound of the gradient’s global norm'),
    save_minutes: undecided(
      Type.Number({ minimum: 0, description: 'minutes between checkpoints; 0: after every step' }),
    ),
    quantization: policyKeys.quantization,
    use_lora,
    ...(choices.setting('use_lora') === true && { lora }),
    ...trainingKeys,
    optimizer: optimizerNode(choices.setting('optimizer.kind')),
  };
}

export const finetuneTask: TaskUnit = {
  name: 'finetune',
  description: 'train a model on your own conversations, or prompts and completions',
  keys,
  plays: false,
  runsModels: true,
  async problems(config) {
    const { model, data, quantization, useLora } = config as Record<string, string | null | boolean>;
    const problems: ConfigProblem[] = [];
    if (model === null || data === null)
      return [
        {
          key: model === null ? 'model' : 'data',
          what: `task=finetune needs a model and data: ${model === null ? 'model' : 'data'} is null`,
          mend: 'give both: model=FOLDER data=FILE.jsonl',
        },
      ];
    const problem = await modelProblem('model', model as string);
    if (problem !== null) problems.push(problem);
    if (!existsSync(data as string))
      problems.push({
        key: 'data',
        what: `data: there is no file '${String(data)}'`,
        mend: 'give a JSON or JSONL file',
      });
    if (quantization !== 'none' && useLora !== true)
      problems.push({
        key: 'quantization',
        what: `quantization=${String(quantization)}: quantized weights are frozen, so nothing would be trained`,
        mend: 'write use_lora=true to train adapters beside them',
      });
    return problems;
  },
  load: async () => (await import('./finetune.js')).finetune,
};
