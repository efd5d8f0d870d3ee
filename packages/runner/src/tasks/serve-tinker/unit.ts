// Defines the options of task=serve_tinker, which serves the Tinker API, over which clients train and sample LoRA adapters of a
// model.
import { integer, optionalText, unitOptions } from '@bowyer/core';
import { listenProblems } from '../listen-keys.js';
import { missingOptions } from '../missing-options.js';
import { modelServerKeys, modelServerOptions } from '../serve-model/unit.js';
import type { TaskConfig, TaskUnit } from '../task.js';

export const serveTinkerOptions = unitOptions({
  ...modelServerOptions,
  folder: optionalText(
    'folder of models, checkpoints and unfinished requests, from which a restarted server continues; null: tinker/ in the run’s folder',
  ),
  max_models: integer(8, 'largest number of models that are trained at the same time'),
  max_models_mb: integer(8192, 'MiB of memory for the adapters, optimizer states and gradients of all models together'),
  max_lora_rank: integer(32, 'the largest rank of an adapter'),
  max_samplers: integer(
    8,
    'largest number of adapters from which samples are drawn at the same time; memory is reserved for all of them from the start',
  ),
  max_request_tokens: integer(
    131_072,
    'largest number of tokens of one forward_backward, and of one sample with its prompt',
  ),
  max_datums: integer(1024, 'largest number of datums of one forward_backward'),
  max_body_mb: integer(32, 'largest size of a request’s body after its decompression, in MiB'),
  max_storage_mb: integer(65_536, 'MiB on disk for all checkpoints together; further ones are refused'),
  max_results_mb: integer(
    1024,
    'MiB of results that are kept for clients; of those that were fetched, the oldest are removed first',
  ),
});

export const serveTinkerTask: TaskUnit = {
  name: 'serve_tinker',
  description: 'train and sample LoRA adapters of a model over the Tinker API',
  keys: () => ({ ...modelServerKeys, task: serveTinkerOptions }),
  plays: false,
  problems({ task }: TaskConfig<typeof serveTinkerOptions>) {
    if (task.model !== null) return listenProblems(task, 'task.server_key_env');
    return missingOptions('serve_tinker', 'a model', { model: task.model }, 'give task.model=FOLDER');
  },
  load: async () => (await import('./serve-tinker.js')).serveTinker,
};
