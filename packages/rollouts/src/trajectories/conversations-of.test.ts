import type { RecordedCall } from '../record/recorded.js';
import { conversationsOf } from './conversations-of.js';

const user = (content: string) => ({ role: 'user', content });
const said = (content: string) => ({ role: 'assistant', content });

function callOf(messages: object[], content: string, more: Partial<RecordedCall> = {}): RecordedCall {
  return {
    call: 0,
    rollout: 'r',
    protocol: 'chat-completions',
    path: '',
    request: {},
    sampling: {},
    template: null,
    tools: [],
    messages,
    promptIds: [],
    choices: [
      {
        index: 0,
        ids: [],
        terminated: true,
        logprobs: [],
        versions: [],
        finishReason: 'stop',
        message: { content, calls: [] },
      },
    ],
    startedAt: 0,
    endedAt: 0,
    delivered: true,
    retry: 0,
    hints: {},
    auxiliary: false,
    ...more,
  };
}

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

test('what is not to be learned is left out', () => {
  const calls = [
    callOf([user('a')], 'b', { auxiliary: true }),
    callOf([user('c')], 'd', { delivered: false }),
    callOf([], 'e'),
  ];
  expect(conversationsOf({ calls })).toEqual([]);
});
