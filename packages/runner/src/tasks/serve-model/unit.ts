// Defines the options of task=serve_model, which serves a language model over OpenAI's HTTP protocol.
import { Type } from '@sinclair/typebox';
import {
  defaulting,
  flag,
  fraction,
  integer,
  optional,
  optionalText,
  texts,
  unitOptions,
  oneProblem,
} from '@bowyer/core';
import { samplingOptions, writerNodes, writerOptions } from '../../agent/keys/model-keys.js';
import { adapterProblems } from './adapter-problems.js';
import { trafficProblems } from './traffic-problems.js';
import { runKeys } from '../../keys/run-keys.js';
import { listenOptions, listenProblems, serverKeyOption } from '../listen-keys.js';
import { missingOptions } from '../missing-options.js';
import { languageModelText } from '../model-line-keys.js';
import type { TaskConfig, TaskUnit } from '../task.js';

/** The options of a model server, which several tasks start. */
export const modelServerOptions = {
  model: optionalText(`${languageModelText}; required`),
  ...listenOptions(8000),
  slots: integer(8, 'answers that are generated at the same time; each has its share of the key-value cache'),
  served_name: optionalText(
    'name by which clients select the model; null: the name of its folder, or of the run whose agent it is',
  ),
  server_key_env: serverKeyOption,
  max_queued: integer(256, 'answers that may wait for a slot; further requests get status 429', { minimum: 0 }),
  prefix_cache_mb: integer(
    256,
    'MiB for keys and values of prompts and answers that have ended, for later prompts with the same beginning; the least recently used are removed first; 0: only slots keep them',
    { minimum: 0 },
  ),
  stored_responses: integer(
    1000,
    'number of responses of /v1/responses that are kept in memory for later requests; the oldest are removed first; 0: none',
    { minimum: 0 },
  ),
  stored_responses_mb: integer(64, 'megabytes of JSON that the stored responses may have together'),
  split_messages: flag(
    true,
    'split the answers of chats: text between <think> and </think> becomes reasoning_content, and calls of a request’s tools become tool_calls; false: content is the text as generated',
  ),
  trust_request_chat_template: flag(
    false,
    'accept a chat template with a request (its field chat_template); false: such a request is refused',
  ),
  context_length: optional(
    integer,
    'longest context in tokens, at least 2, which decides the memory of each slot; null: the model’s own',
  ),
};

export const serveModelOptions = unitOptions({
  ...modelServerOptions,
  ...writerOptions,
  follow: optionalText(
    'folder of a run, which may start later: the policy of its newest checkpoint replaces the model between two answers; null: the model stays',
  ),
  adapters: optional(
    () => Type.Record(Type.String(), Type.String()),
    'LoRA adapters of the model, by the names with which clients select them: folders in PEFT’s layout, or runs that trained an adapter; for instance {support: runs/support}; null: none',
  ),
  runtime_adapters: texts(
    [],
    'folders from which clients may load further adapters (POST /v1/load_lora_adapter); []: none',
  ),
  max_adapters: optional(
    integer,
    'largest number of adapters at the same time, for which memory is reserved from the start; null: as many as task.adapters has, and 4 more with task.runtime_adapters',
  ),
  max_adapter_rank: optional(
    integer,
    'the largest rank of an adapter; null: that of task.adapters, and at least 16 with task.runtime_adapters',
  ),
  record: optionalText(
    'folder in which each answer is kept with its request and tokens, and the feedback on it (POST /v1/responses/ID/feedback); trainings read it; null: nothing is kept',
  ),
  record_mb: integer(1024, 'megabytes that the record may have; the oldest answers are removed first'),
  record_redact: texts(
    [],
    'regular expressions whose matches are replaced by [REDACTED] before anything is recorded; such an answer is kept without its tokens; []: none',
  ),
  canary: optionalText(
    'name in task.adapters of the one that answers a share of the conversations with the model; --config-name canary compares it with the model, promotes or removes it; null: none',
  ),
  canary_share: fraction(
    0.1,
    'share of the conversations that the canary, the adapter named by task.canary, answers at first',
  ),
  adapter_target_modules: Type.Union([Type.Array(Type.String(), { minItems: 1 }), Type.String(), Type.Null()], {
    default: null,
    description:
      'layers for which memory for adapters is reserved, in addition to the layers of task.adapters: names such as [q_proj, v_proj], a regular expression for whole paths, or all-linear; null: none, and with task.runtime_adapters every linear layer',
  }),
});

/** The config nodes of a model server, which several tasks start. */
export const modelServerKeys = {
  ...runKeys,
  ...writerNodes({ max_new_tokens: defaulting(samplingOptions.max_new_tokens, 256) }),
};

export const serveModelTask: TaskUnit = {
  name: 'serve_model',
  description: 'serve a language model over the HTTP protocol of OpenAI',
  keys: () => ({ ...modelServerKeys, task: serveModelOptions }),
  plays: false,
  problems({ task }: TaskConfig<typeof serveModelOptions>) {
    if (task.model !== null && task.follow !== null && task.quantization !== 'none')
      return oneProblem(
        'task.quantization',
        `task.follow=${task.follow} replaces the weights, and quantised ones are frozen: task.quantization is ${task.quantization}`,
        'write task.quantization=none',
      );
    if (task.model !== null)
      return [...adapterProblems(task), ...trafficProblems(task), ...listenProblems(task, 'task.server_key_env')];
    const remedy = 'give task.model=FOLDER, task.model=FILE.gguf, or OWNER/NAME of the hub';
    return missingOptions('serve_model', 'a model', { model: task.model }, remedy);
  },
  load: async () => (await import('./serve-model.js')).serveModel,
};
