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
      'folder of a run, there or yet to come: the policy of its newest checkpoint takes the place of the model between two answers; null: the model stays',
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
        'answers of chats are split: text between <think> and </think> is reasoning_content, calls of the tools of a request are tool_calls; false: content is the text as generated',
    }),
    trust_request_chat_template: Type.Boolean({
      description:
        'a chat may bring the chat template that it is written with (its field chat_template); false: such a request is refused',
    }),
    context_length: nullable(
      Type.Integer({ minimum: 2 }),
      'longest context in tokens, which decides each slot’s share of memory; null: the model’s',
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
