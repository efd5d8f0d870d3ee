// task=generate: continues prompts, or answers them where the model is an encoder-decoder.
import { Type } from '@sinclair/typebox';
import { count } from '@bowyer/core';
import { writerKeys } from '@bowyer/agent';
import { runKeys } from '../../keys/run-keys.js';
import { lineFileKeys, lineFileProblems } from '../model-line-keys.js';
import type { TaskUnit } from '../task.js';

export const generateTask: TaskUnit = {
  name: 'generate',
  description: 'write texts that continue the prompts of a file',
  keys: () => ({
    ...runKeys,
    ...writerKeys,
    ...lineFileKeys('lines with {prompt}, {prompt_ids} or {messages}'),
    batch_size: count('prompts in a batch'),
    ignore_eos: Type.Boolean({ description: 'continue after a token that ends texts, up to max_new_tokens' }),
  }),
  plays: false,
  problems: lineFileProblems('generate'),
  load: async () => (await import('./generate.js')).generate,
};
