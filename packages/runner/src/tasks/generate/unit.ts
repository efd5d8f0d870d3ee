// Defines the options of task=generate, in which a model continues prompts or, if it is an encoder-decoder, answers them.
import { defaulting, flag, integer, unitOptions } from '@bowyer/core';
import { drawOption, writerNodes, writerOptions } from '../../agent/keys/model-keys.js';
import { runKeys } from '../../keys/run-keys.js';
import { lineFileKeys, lineFileProblems } from '../model-line-keys.js';
import type { TaskUnit } from '../task.js';

export const generateOptions = unitOptions({
  ...lineFileKeys('lines with {prompt}, {prompt_ids} or {messages}'),
  batch_size: integer(16, 'prompts in a batch'),
  ignore_eos: flag(false, 'do not stop at the end-of-text token, but at sampling.max_new_tokens'),
  ...writerOptions,
});

export const generateTask: TaskUnit = {
  name: 'generate',
  description: 'write texts that continue the prompts of a file',
  keys: () => ({
    ...runKeys,
    ...writerNodes({ do_sample: defaulting(drawOption.do_sample, false) }),
    task: generateOptions,
  }),
  plays: false,
  problems: lineFileProblems('generate'),
  load: async () => (await import('./generate.js')).generate,
};
