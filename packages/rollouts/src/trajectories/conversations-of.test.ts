import { recordedCall, recordedChoice } from '../../test/recorded-call.js';
import type { RecordedCall } from '../record/recorded.js';
import { conversationsOf } from './conversations-of.js';

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });

const callOf = (messages: object[], content: string, more: Partial<RecordedCall> = {}): RecordedCall =>
  recordedCall({ messages, choices: [recordedChoice(content)], ...more });

test('a dialogue is one conversation, however its client has written the answers again; a sub-agent has its own', () => {
  const first = callOf([user('a')], 'b ');
  const second = callOf([user('a'), said(' b'), user('c')], 'd');
  const other = callOf([user('sub')], 'e');
  expect(conversationsOf({ calls: [first, second, other] })).toEqual([
    { messages: [user('a'), said(' b'), user('c'), said('d')] },
    { messages: [user('sub'), said('e')] },
  ]);
});

test('calls of tools and the tools themselves are kept; arguments are compared as JSON', () => {
  const tools = [{ type: 'function', function: { name: 'add' } }];
  const first = callOf([user('a')], '', { tools });
  first.choices[0].message.calls = [{ id: '1', name: 'add', arguments: '{"x":1}' }];
  const again = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: '1', type: 'function', function: { name: 'add', arguments: { x: 1 } } }],
  };
  const last = callOf([user('a'), again, { role: 'tool', tool_call_id: '1', content: '2' }], 'two', { tools });
  expect(conversationsOf({ calls: [first, last] })).toEqual([
    { messages: [user('a'), again, { role: 'tool', tool_call_id: '1', content: '2' }, said('two')], tools },
  ]);
  expect(conversationsOf({ calls: [first] })[0].messages[1]).toMatchObject({
    tool_calls: [{ function: { name: 'add', arguments: '{"x":1}' } }],
  });
});

test('an answer is learned once, with its reasoning and its own tools; what the model did not say is not', () => {
  const tools = [{ type: 'function', function: { name: 'add' } }];
  const example = [user('x'), said('y'), user('a')];
  const first = callOf(example, 'b', { tools });
  first.choices[0].message.reasoning = 'hm';
  const history = [...example, said('b'), user('c')];
  const same = callOf(history, 'd', { tools });
  const withoutTools = callOf(history, 'e');
  const [x, y, a] = example;
  const unlearned = { ...y, weight: 0 };
  expect(conversationsOf({ calls: [first, same, withoutTools] })).toEqual([
    { messages: [x, unlearned, a, { ...said('b'), reasoning_content: 'hm' }, user('c'), said('d')], tools },
    { messages: [x, unlearned, a, { ...said('b'), weight: 0 }, user('c'), said('e')] },
  ]);
  expect(conversationsOf({ calls: [first, withoutTools] }).map(({ messages }) => messages.length)).toEqual([4, 6]);
});

test('messages that are not to be learned are left out', () => {
  const calls = [
    callOf([user('a')], 'b', { auxiliary: true }),
    callOf([user('c')], 'd', { delivered: false }),
    callOf([], 'e'),
  ];
  expect(conversationsOf({ calls })).toEqual([]);
});

/** Returns an answer that calls a tool with the arguments, and the message as its client sends it back. */
function calledWith(args: string) {
  const first = callOf([user('a')], 'so');
  first.choices[0].message.calls = [{ id: '1', name: 'f', arguments: args }];
  const toolCalls = [{ id: '1', type: 'function', function: { name: 'f', arguments: args } }];
  const again = { role: 'assistant', content: 'so', tool_calls: toolCalls };
  return { first, history: [user('a'), again, { role: 'tool', tool_call_id: '1', content: '2' }] };
}

test.each(['{"x": 1', '{"x": 1}{"y": 2}', '{"x": 1, "x": 2}', '[1]', '5', 'x'])(
  'a call whose arguments are not a JSON object is kept as it came and never learned: %s',
  (args) => {
    const { first, history } = calledWith(args);
    expect(conversationsOf({ calls: [first] })).toEqual([]);
    const last = callOf(history, 'two', { call: 1 });
    const [asked, again, result] = history;
    expect(conversationsOf({ calls: [first, last] })).toEqual([
      { messages: [asked, { ...again, weight: 0 }, result, said('two')] },
    ]);
  },
);

test.each(['', 'null', '{}', '{"x": 1.0}'])('a call with the arguments %j is learned', (args) => {
  const { first, history } = calledWith(args);
  expect(conversationsOf({ calls: [first] })).toEqual([{ messages: history.slice(0, 2) }]);
});

test('an answer that was cut says so, as the last of its conversation and within a longer one', () => {
  const first = callOf([user('a')], 'b');
  first.choices[0].finishReason = 'length';
  const cut = { ...said('b'), finish_reason: 'length' };
  expect(conversationsOf({ calls: [first] })).toEqual([{ messages: [user('a'), cut] }]);
  const second = callOf([user('a'), said('b'), user('go on')], 'c', { call: 1 });
  expect(conversationsOf({ calls: [first, second] })).toEqual([
    { messages: [user('a'), cut, user('go on'), said('c')] },
  ]);
});

test('an answer that a text of the request has ended says so: the model has not written its end', () => {
  const call = callOf([user('a')], 'b');
  call.choices[0].stop = '.';
  expect(conversationsOf({ calls: [call] })).toEqual([
    { messages: [user('a'), { ...said('b'), finish_reason: 'stop_sequence' }] },
  ]);
});

test("another user's name is another dialogue", () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => ({ ...user('a'), name }));
  const first = callOf([ann], 'b');
  const second = callOf([bob, said('b'), user('c')], 'd', { call: 1 });
  expect(conversationsOf({ calls: [first, second] })).toEqual([
    { messages: [ann, said('b')] },
    { messages: [bob, { ...said('b'), weight: 0 }, user('c'), said('d')] },
  ]);
});
