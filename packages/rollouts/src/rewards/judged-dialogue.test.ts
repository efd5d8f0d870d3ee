import { judgedDialogue } from './judged-dialogue.js';
import type { RecordedCall } from '../record/recorded.js';

const call: RecordedCall = {
  call: 0,
  rollout: 'r',
  protocol: 'chat-completions',
  path: '/v1/chat/completions',
  request: {},
  sampling: {},
  template: null,
  tools: [],
  messages: [{ role: 'user', content: 'Add 2 and 3.' }],
  promptIds: [1],
  choices: [
    {
      index: 0,
      ids: [2],
      terminated: true,
      logprobs: [-1],
      versions: [{ from: 0, version: 0 }],
      finishReason: 'tool_calls',
      message: { content: '', calls: [{ id: 'c', name: 'add', arguments: '{"a":2,"b":3}' }] },
    },
  ],
  startedAt: 0,
  endedAt: 1,
  delivered: true,
  retry: 0,
  hints: {},
  auxiliary: false,
};

test('a judge reads each message once, calls of tools as JSON', () => {
  const [asked, answered] = judgedDialogue({ calls: [call] });
  expect(asked).toEqual({ role: 'user', text: 'Add 2 and 3.' });
  expect(answered.role).toBe('assistant');
  expect(answered.text).toContain('"name":"add"');
});

test('calls whose answer did not reach the agent are not judged', () => {
  expect(judgedDialogue({ calls: [{ ...call, delivered: false }] })).toEqual([]);
});
