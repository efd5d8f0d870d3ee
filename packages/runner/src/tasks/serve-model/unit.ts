// task=serve_model: a language model over OpenAI's HTTP protocol.
import { Type } from '@sinclair/typebox';
import { count, nullable, share } from '@bowyer/core';
import { writerKeys } from '@bowyer/agent';
import { adapterProblems } from './adapter-problems.js';
import { trafficProblems } from './traffic-problems.js';
import { runKeys } from '../../keys/run-keys.js';
import { listenKeys, listenProblems } from '../listen-keys.js';
import type { TaskUnit } from '../task.js';

export const serveModelTask: TaskUnit = {
  name: 'serve_model',
  description: 'serve a language model over the HTTP protocol of OpenAI',
  keys: () => ({
    ...runKeys,
    ...writerKeys,
    ...listenKeys,
    model: nullable(Type.String(), 'a language model: a folder, a run, or a model of the hub (OWNER/NAME[@REVISION])'),
    follow: nullable(
      Type.String(),
      'folder of a run, which may start later: the policy of its newest checkpoint replaces the model between two answers; null: the model stays',
    ),
    slots: count('answers that are generated at the same time; each has its share of the key-value cache'),
    served_name: nullable(
      Type.String(),
      'name by which clients select the model; null: the name of its folder, or of the run whose agent it is',
    ),
    server_key_env: nullable(
      Type.String(),
      'environment variable with the key that clients must send; null: no key is required',
    ),
    max_queued: count('answers that may wait for a slot; further requests get status 429', 0),
    prefix_cache_mb: count(
      'MiB for keys and values of prompts and answers that have ended, for later prompts with the same beginning; the least recently used are removed first; 0: only slots keep them',
      0,
    ),
    stored_responses: count(
      'number of responses of /v1/responses that are kept in memory for later requests; the oldest are removed first; 0: none',
      0,
    ),
    stored_responses_mb: count('megabytes of JSON that the stored responses may have together', 1),
    split_messages: Type.Boolean({
      description:
        'split the answers of chats: text between <think> and </think> becomes reasoning_content, and calls of a request’s tools become tool_calls; false: content is the text as generated',
    }),
    trust_request_chat_template: Type.Boolean({
      description: 'accept a chat template with a request (its field chat_template); false: such a request is refused',
    }),
    context_length: nullable(
      Type.Integer({ minimum: 2 }),
      'longest context in tokens, which decides the memory of each slot; null: the model’s own',
    ),
    adapters: nullable(
      Type.Record(Type.String(), Type.String()),
      'LoRA adapters of the model, by the names with which clients select them: folders in PEFT’s layout, or runs that trained an adapter; for instance {support: runs/support}; null: none',
    ),
    runtime_adapters: Type.Array(Type.String(), {
      description: 'folders from which clients may load further adapters (POST /v1/load_lora_adapter); []: none',
    }),
    max_adapters: nullable(
      Type.Integer({ minimum: 1 }),
      'largest number of adapters at the same time, for which memory is reserved from the start; null: as many as `adapters` has, and 4 more with runtime_adapters',
    ),
    max_adapter_rank: nullable(
      Type.Integer({ minimum: 1 }),
      'the largest rank of an adapter; null: that of `adapters`, and at least 16 with runtime_adapters',
    ),
    record: nullable(
      Type.String(),
      'folder in which each answer is kept with its request and tokens, and the feedback on it (POST /v1/responses/ID/feedback); trainings read it; null: nothing is kept',
    ),
    record_mb: count('megabytes that the record may have; the oldest answers are removed first', 1),
    record_redact: Type.Array(Type.String(), {
      description:
        'regular expressions whose matches are replaced by [REDACTED] before anything is recorded; such an answer is kept without its tokens; []: none',
    }),
    canary: nullable(
      Type.String(),
      'name in `adapters` of the one that answers a share of the conversations with the model; --config-name canary compares, promotes, or takes back; null: none',
    ),
    canary_share: share('share of the conversations that the canary answers at first'),
    adapter_target_modules: Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.String(), Type.Null()], {
      description:
        'layers for which memory for adapters is reserved, in addition to the layers of `adapters`: names such as [q_proj, v_proj], a regular expression for whole paths, or all-linear; null: none, and with runtime_adapters every linear layer',
    }),
  }),
  plays: false,
  problems(config) {
    if (config.model !== null && config.follow !== null && config.quantization !== 'none')
      return [
        {
          key: 'quantization',
          message: `follow=${String(config.follow)} replaces the weights, and quantised ones are frozen: quantization is ${String(config.quantization)}`,
          remedy: 'write quantization=none',
        },
      ];
    if (config.model !== null)
      return [...adapterProblems(config), ...trafficProblems(config), ...listenProblems(config, 'server_key_env')];
    return [
      {
        key: 'model',
        message: 'task=serve_model needs a model: model is null',
        remedy: 'give model=FOLDER, or OWNER/NAME of the hub',
      },
    ];
  },
  load: async () => (await import('./serve-model.js')).serveModel,
};
