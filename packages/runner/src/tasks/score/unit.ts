// Defines the options of task=score, which computes the log-probabilities of given continuations after given prompts.
import { integer, unitOptions } from '@bowyer/core';
import { deviceNode, deviceOptions, hubNode } from '../../agent/keys/model-keys.js';
import { quantizationNode } from '../../agent/keys/policy-keys.js';
import { seedlessKeys } from '../../keys/run-keys.js';
import { lineFileKeys, lineFileProblems } from '../model-line-keys.js';
import type { TaskUnit } from '../task.js';

export const scoreOptions = unitOptions({
  ...lineFileKeys('lines with {prompt, continuation} or {prompt_ids, continuation_ids}'),
  batch_tokens: integer(2048, 'tokens in a batch, padding included'),
});

export const scoreTask: TaskUnit = {
  name: 'score',
  description: 'compute the log-probabilities of the continuations in a file',
  keys: () => ({
    ...seedlessKeys,
    device: deviceNode(deviceOptions),
    hub: hubNode,
    policy: quantizationNode,
    task: scoreOptions,
  }),
  plays: false,
  problems: lineFileProblems('score'),
  load: async () => (await import('./score.js')).score,
};
