// Tests which answer a dialogue continues: the one with the same messages, in all parts that a template may read.
import { chatTemplate, wordLevelTokenizer, type ChatMessage } from '@bowyer/text';
import { recordedChoice } from '../../test/recorded-call.js';
import type { RecordedMessage } from '../record/recorded.js';
import { answerKeys, History } from './history.js';

const tokenizer = wordLevelTokenizer(['a b c d e f named']);
const plain = chatTemplate('{% for m in messages %}{{ m.content }}{% endfor %}', tokenizer);
const named = chatTemplate('{% for m in messages %} {{ m.name }} {{ m.content }}{% endfor %}', tokenizer);

const user: ChatMessage = { role: 'user', content: 'a' };
const calls = [{ id: 'c1', name: 'find', arguments: '{"x": 1}' }];
const asked = (message: Partial<RecordedMessage> = {}, before: ChatMessage[] = [user], template = plain) => {
  const history = new History();
  const choice = recordedChoice('b', [1]);
  Object.assign(choice.message, message);
  const dialogue = { messages: before, inputs: {}, template };
  history.add(answerKeys(dialogue, { choices: [choice] }), { choices: [choice] }, { part: 1, offset: 0, bytes: 1 });
  return (...messages: ChatMessage[]) => history.find({ messages, inputs: {}, template })?.at ?? null;
};
const said: ChatMessage = { role: 'assistant', content: 'b' };
const toolCalls = [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"x":1}' } }];
const called: ChatMessage = { role: 'assistant', content: null, tool_calls: toolCalls };
const result: ChatMessage = { role: 'tool', tool_call_id: 'c1', content: '7' };

test.each<[string, ChatMessage]>([
  ['another name', { ...user, name: 'bob' }],
  ['no name', user],
  ['a further key', { ...user, name: 'ann', tone: 'kind' }],
  ['thoughts of the user', { ...user, name: 'ann', reasoning_content: 'hm' }],
  ['another role', { ...user, name: 'ann', role: 'system' }],
])("a user's message with %s is another dialogue", (_, other) => {
  const find = asked({}, [{ ...user, name: 'ann' }]);
  expect(find({ name: 'ann', content: ' a ', role: 'user' }, said, user)).toBe(1);
  expect(find(other, said, user)).toBeNull();
});

test('keys without a value and the order of keys do not matter; nested keys do', () => {
  const find = asked({}, [{ ...user, meta: { x: 1, y: [2] } }]);
  expect(find({ meta: { y: [2], x: 1 }, ...user, name: undefined, refusal: null }, said)).toBe(1);
  expect(find({ ...user, meta: { x: 1, y: [3] } }, said)).toBeNull();
});

test('a result with the name of its call is one without a name; another name is another dialogue', () => {
  const before = [user, called, result];
  for (const own of [before, [user, called, { ...result, name: 'find' }]]) {
    const find = asked({}, own);
    expect(find(...before, said)).toBe(3);
    expect(find(user, called, { ...result, name: 'find' }, said)).toBe(3);
    expect(find(user, called, { ...result, name: 'other' }, said)).toBeNull();
    expect(find(user, called, { ...result, is_error: true }, said)).toBeNull();
  }
});

test.each([
  ['{"x": 7318204915520000013, "y": 1.0}', '{"y":1,"x":7318204915520000013}', 1],
  ['{"x": 7318204915520000013}', '{"x":7318204915520000000}', null],
  ['{"x": 1.50}', '{"x":1.5}', 1],
  ['{"x": "1.50"}', '{"x":1.5}', null],
])('a call with the arguments %s that comes back with %s', (sampled, sent, at) => {
  const find = asked({ calls: [{ ...calls[0], arguments: sampled }] });
  const toolCall = { ...toolCalls[0], function: { name: 'find', arguments: sent } };
  expect(find(user, { ...called, content: 'b', tool_calls: [toolCall] }, result)).toBe(at);
});

test('a name that a client gives to an answer counts only where the template writes it', () => {
  expect(asked()(user, { ...said, name: 'agent' })).toBe(1);
  expect(asked({}, [user], named)(user, { ...said, name: 'agent' })).toBeNull();
  expect(asked({}, [user], named)(user, said)).toBe(1);
});

test('if a client sends only the end of a thought, the call continues the answer; with an edited thought it does not', () => {
  const find = asked({ reasoning: 'two pears and figs', calls });
  const withThought = (thought: string) => find(user, { ...called, content: 'b', reasoning_content: thought }, result);
  expect(['two pears and figs', ' figs ', 's', ''].map(withThought)).toEqual([1, 1, 1, 1]);
  expect(['two pears', 'figs and', 'no pears and figs'].map(withThought)).toEqual([null, null, null]);
});

test('of two answers that differ in their thoughts, the one with the whole thought is meant', () => {
  const history = new History();
  const dialogue = { messages: [user], inputs: {}, template: plain };
  const choices = ['hm', 'ahm'].map((reasoning, index) => ({
    ...recordedChoice('b', [1]),
    index,
    message: { content: 'b', calls: [], reasoning },
  }));
  history.add(answerKeys(dialogue, { choices }), { choices }, { part: 1, offset: 0, bytes: 1 });
  const find = (thought: string) =>
    history.find({ ...dialogue, messages: [user, { ...said, reasoning_content: thought }] })?.answer.choice;
  expect(['hm', 'ahm', 'm'].map(find)).toEqual([0, 1, 1]);
});

test('an answer of which the client got less than was sampled is not continued', () => {
  expect(asked({ calls })(user, { ...called, content: 'b' }, result)).toBe(1);
  expect(asked({ calls, shortened: true })(user, { ...called, content: 'b' }, result)).toBeNull();
});
