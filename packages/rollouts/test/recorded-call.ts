// A recorded call of a model without anything special, for tests that change some of its members.
import type { RecordedCall, RecordedChoice } from '../src/record/recorded.js';

/** Returns an answer with the text `content` and the tokens `ids`, each of log-probability −1. */
export const recordedChoice = (content: string, ids: number[] = []): RecordedChoice => ({
  index: 0,
  ids,
  terminated: true,
  logprobs: ids.map(() => -1),
  versions: [{ from: 0, version: 0 }],
  finishReason: 'stop',
  message: { content, calls: [] },
});

export const recordedCall = (more: Partial<RecordedCall> = {}): RecordedCall => ({
  call: 0,
  rollout: 'r',
  protocol: 'chat-completions',
  path: '',
  request: {},
  sampling: {},
  template: null,
  tools: [],
  messages: [],
  promptIds: [],
  choices: [],
  startedAt: 0,
  endedAt: 0,
  delivered: true,
  retry: 0,
  hints: {},
  auxiliary: false,
  ...more,
});
