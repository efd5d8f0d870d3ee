// task=serve_tinker: LoRA adapters trained and sampled over the Tinker API.
import { Type } from '@sinclair/typebox';
import { count, nullable } from '@bowyer/core';
import { listenProblems } from '../listen-keys.js';
import { serveModelTask } from '../serve-model/unit.js';
import type { TaskUnit } from '../task.js';

/** Keys of `serve_model` that have no use here: the base stays as its checkpoint has it, and adapters come from training. */
const KEYS_OF_OTHERS = [
  'follow',
  'adapters',
  'runtime_adapters',
  'max_adapters',
  'max_adapter_rank',
  'adapter_target_modules',
  'record',
  'record_mb',
  'record_redact',
  'canary',
  'canary_share',
  'quantization',
  'packed_decoding',
];

export const serveTinkerTask: TaskUnit = {
  name: 'serve_tinker',
  description: 'train and sample LoRA adapters of a model over the Tinker API',
  keys: (choices) => ({
    ...Object.fromEntries(
      Object.entries(serveModelTask.keys(choices)).filter(([key]) => !KEYS_OF_OTHERS.includes(key)),
    ),
    folder: nullable(
      Type.String(),
      'folder of models, checkpoints and unfinished requests, from which a restarted server continues; null: tinker/ in the run’s folder',
    ),
    max_models: count('largest number of models that are trained at the same time'),
    max_models_mb: count('MiB of memory for the adapters, optimizer states and gradients of all models together'),
    max_lora_rank: count('the largest rank of an adapter'),
    max_samplers: count(
      'largest number of adapters from which samples are drawn at the same time; memory is reserved for all of them from the start',
    ),
    max_request_tokens: count('largest number of tokens of one forward_backward, and of one sample with its prompt'),
    max_datums: count('largest number of datums of one forward_backward'),
    max_body_mb: count('largest size of a request’s body after its decompression, in MiB'),
    max_storage_mb: count('MiB on disk for all checkpoints together; further ones are refused'),
    max_results_mb: count(
      'MiB of results that are kept for clients; of those that were fetched, the oldest are removed first',
    ),
  }),
  plays: false,
  problems(config) {
    if (config.model !== null) return listenProblems(config, 'server_key_env');
    return [{ key: 'model', message: 'task=serve_tinker needs a model: model is null', remedy: 'give model=FOLDER' }];
  },
  load: async () => (await import('./serve-tinker.js')).serveTinker,
};
