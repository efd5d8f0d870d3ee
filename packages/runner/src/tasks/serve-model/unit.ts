// task=serve_model: a language model over OpenAI's HTTP protocol.
import { Type } from '@sinclair/typebox';
import { count, nullable } from '@bowyer/core';
import { writerKeys } from '@bowyer/agent';
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
    slots: count('answers at the same time; each has its share of the key-value cache'),
    served_name: nullable(Type.String(), 'what clients call the model; null: the name of its folder'),
    server_key_env: nullable(
      Type.String(),
      'environment variable with the key that clients must send; null: no key is required',
    ),
    max_queued: count('answers that wait for a slot; a request beyond gets status 429', 0),
    split_messages: Type.Boolean({
      description:
        'split the answers of chats: text between <think> and </think> becomes reasoning_content, and calls of a request’s tools become tool_calls; false: content is the text as generated',
    }),
    trust_request_chat_template: Type.Boolean({
      description: 'accept a chat template with a request (its field chat_template); false: such a request is refused',
    }),
    context_length: nullable(
      Type.Integer({ minimum: 2 }),
      'longest context in tokens, which decides each slot’s share of memory; null: the model’s own',
    ),
  }),
  plays: false,
  problems(config) {
    if (config.model !== null && config.follow !== null && config.quantization !== 'none')
      return [
        {
          key: 'quantization',
          message: `follow=${String(config.follow)} takes up new weights, and quantised ones are frozen: quantization is ${String(config.quantization)}`,
          remedy: 'write quantization=none',
        },
      ];
    if (config.model !== null) return listenProblems(config, 'server_key_env');
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
