// Defines the options of the warm start and of the demonstrations that it imitates, and the schedule of a learning rate.
import { dataFormatKey, dataSplitKey } from '@bowyer/conversations';
import { choice, fraction, group, integer, nonNegative, optionalText, positive, text } from '@bowyer/core';
import { Type } from '@sinclair/typebox';
import { nodeOf } from './node.js';

export const warmStartNode = nodeOf('behaviour cloning before the first iteration, cached under a hash of its config');

/** The option for the folder in which finished warm starts are cached, so that several runs share them. */
export const cacheOptions = {
  cache_dir: text('.cache', 'folder of finished warm starts; runs with the same warm-start config share one', {
    decides: false,
    flat: 'cache_dir',
  }),
};

const warmupSteps = 'optimizer steps of linear warm-up; negative: a tenth of all, as in AgentGym';
const finalShare = 'learning rate at the end, as a share of the peak; it has no effect on a constant rate';

/**
 * @param values the defaults
 * @param flat the names that the options had in version 0.2
 */
export const scheduleGroup = (
  values: { kind: 'linear' | 'cosine'; warmup_steps: number; final_share: number },
  flat: { schedule?: string; warmup_steps?: string; final_share?: string } = {},
) =>
  group(
    {
      kind: choice(['constant', 'linear', 'cosine'], values.kind, 'how the learning rate changes after the warm-up'),
      warmup_steps: Type.Integer({ default: values.warmup_steps, description: warmupSteps, flat: flat.warmup_steps }),
      final_share: fraction(values.final_share, finalShare, { flat: flat.final_share }),
    },
    'how the learning rate changes over the steps',
    { flat: flat.schedule },
  );

/** The options of the warm start: behaviour cloning before the first iteration. */
export const warmStartOptions = {
  epochs: integer(1, 'passes over the demonstrations'),
  batch_size: integer(32, 'dialogues per optimizer step'),
  lr: positive(1e-5, 'peak of the learning rate'),
  max_grad_norm: positive(1, 'largest global norm of the gradient; a larger gradient is scaled down to it'),
  observation_weight: nonNegative(
    0,
    'weight of −log p of each token that the environment wrote, where a token that the policy writes has 1; 0: only actions are trained on',
  ),
  save_minutes: nonNegative(
    5,
    'minutes between checkpoints: a process that is killed loses no more than that; 0: a checkpoint after every step',
    { decides: false },
  ),
  schedule: scheduleGroup(
    { kind: 'linear', warmup_steps: 0, final_share: 1 },
    { warmup_steps: 'warm_start.warmup_steps', final_share: 'warm_start.final_lr_share' },
  ),
};

/** The options of the config node `demonstrations`. Each environment adds the options of its own expert. */
export const demonstrationKeys = {
  path: optionalText(
    'a file to imitate: episodes as JSONL (such as a run’s trajectories), conversations or agents’ traces as JSON, JSONL or Parquet, or the environment’s own format; null: the environment’s expert plays',
  ),
  count: integer(3000, 'episodes to generate'),
};

export const demonstrationFileKeys = { format: dataFormatKey, split: dataSplitKey };
