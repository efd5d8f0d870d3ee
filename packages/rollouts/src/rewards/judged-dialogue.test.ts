import { judgedDialogue } from './judged-dialogue.js';
import { recordedCall, recordedChoice } from '../../test/recorded-call.js';

const message = { content: '', calls: [{ id: 'c', name: 'add', arguments: '{"a":2,"b":3}' }] };
const call = recordedCall({
  messages: [{ role: 'user', content: 'Add 2 and 3.' }],
  choices: [{ ...recordedChoice('', [2]), message }],
});

test('a judge reads each message once, calls of tools as JSON', () => {
  const [asked, answered] = judgedDialogue({ calls: [call] });
  expect(asked).toEqual({ role: 'user', text: 'Add 2 and 3.' });
  expect(answered.role).toBe('assistant');
  expect(answered.text).toContain('"name":"add"');
});

test('calls whose answer did not reach the agent are not judged', () => {
  expect(judgedDialogue({ calls: [{ ...call, delivered: false }] })).toEqual([]);
});
