// Makes rollouts of agents as a server records them: one with a sub-agent, one that compacts its context, and one with parallel
// calls.
import type { RecordedCall, RecordedRollout } from '@bowyer/rollouts';

interface MadeCall {
  messages: object[];
  /** The tokens of the prompt, which those of the answer follow. */
  prompt: number[];
  answer: number[];
  content?: string;
  tools?: { id: string; name: string; arguments: string }[];
  more?: Partial<RecordedCall>;
}

function madeCall(call: number, { messages, prompt, answer, content = '', tools = [], more }: MadeCall): RecordedCall {
  return {
    call,
    rollout: 'made',
    protocol: 'chat-completions',
    path: '/v1/chat/completions',
    request: {},
    sampling: { maxTokens: 64, stopIds: [] },
    template: null,
    tools: [],
    messages,
    promptIds: prompt,
    choices: [
      {
        index: 0,
        ids: answer,
        terminated: true,
        logprobs: answer.map((_, i) => -0.3 * (i + 1)),
        versions: [{ from: 0, version: 1 }],
        finishReason: tools.length > 0 ? 'tool_calls' : 'stop',
        message: { content, calls: tools },
      },
    ],
    startedAt: call,
    endedAt: call + 1,
    delivered: true,
    retry: 0,
    hints: {},
    auxiliary: false,
    ...more,
  };
}

export const madeRollout = (
  id: string,
  calls: readonly MadeCall[],
  more: Partial<RecordedRollout> = {},
): RecordedRollout => ({
  id,
  calls: calls.map((call, index) => madeCall(index, call)),
  failures: [],
  rewards: [{ value: 1, name: 'reward', at: 5 }],
  metrics: {},
  status: 'ended',
  ...more,
});

const system = (content: string) => ({ role: 'system', content });
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string, calls: MadeCall['tools'] = []) => ({
  role: 'assistant',
  content,
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ id, ...rest }) => ({ id, type: 'function', function: rest })),
  }),
});
const tool = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });

/** Makes a planner that delegates a task, and the delegate, which has another prompt. */
export function subAgent(): RecordedRollout {
  const plan = [system('You plan.'), user('How many days has the leap year 2024?')];
  const delegate = [{ id: 'c1', name: 'delegate', arguments: '{"question":"Is 2024 a leap year?"}' }];
  const check = [{ id: 'c2', name: 'calculator', arguments: '{"expression":"2024 % 4"}' }];
  const own = [system('You check facts.'), user('Is 2024 a leap year?')];
  return madeRollout(
    'rollout-0.1-k',
    [
      { messages: plan, prompt: [1, 2, 3], answer: [4, 5], tools: delegate },
      { messages: own, prompt: [9, 8, 7], answer: [6, 6, 5], tools: check, more: { hints: { session: 'checker' } } },
      {
        messages: [...own, assistant('', check), tool('c2', '0')],
        prompt: [9, 8, 7, 6, 6, 5, 3],
        answer: [2, 5],
        content: 'Yes.',
      },
      {
        messages: [...plan, assistant('', delegate), tool('c1', 'Yes.')],
        prompt: [1, 2, 3, 4, 5, 11, 12],
        answer: [13, 14, 5],
        content: '366',
      },
    ],
    {
      rewards: [
        { value: 1, name: 'reward', at: 5 },
        { value: 0.5, name: 'format', at: 5 },
        { value: 0.25, name: 'reward', call: 2, at: 5 },
      ],
      metrics: { success: 1 },
    },
  );
}

/** Makes two turns, and then their summary, with which a new prompt begins. */
export function compacting(): RecordedRollout {
  const first = [system('You work.'), user('Sum the files.')];
  const read = [{ id: 'r1', name: 'read_file', arguments: '{"path":"a.txt"}' }];
  const again = [{ id: 'r2', name: 'read_file', arguments: '{"path":"b.txt"}' }];
  const second = [...first, assistant('', read), tool('r1', '3')];
  const third = [...second, assistant('', again), tool('r2', 'Error: no such file')];
  const summarize = [...third, user('Summarize what was done so far.')];
  const summary = 'a.txt has 3; b.txt could not be read.';
  return madeRollout('rollout-1.1-k', [
    { messages: first, prompt: [1, 2], answer: [3, 4], tools: read },
    { messages: second, prompt: [1, 2, 3, 4, 5], answer: [6, 4], tools: again },
    { messages: summarize, prompt: [1, 2, 3, 4, 5, 6, 4, 7, 8], answer: [9, 10, 4], content: summary },
    {
      messages: [system('You work.'), user(`Summary: ${summary} Continue.`)],
      prompt: [1, 21, 22],
      answer: [23, 4],
      content: 'The sum is 3.',
    },
  ]);
}

/** Makes three questions at the same time after one answer, and a continuation with their results. */
export function parallel(): RecordedRollout {
  const begin = [system('You compare.'), user('Which city is warmest?')];
  const after = [...begin, assistant('Let me look at three cities.')];
  const city = (name: string) => [...after, user(`Look at ${name}.`)];
  const start = [1, 2, 3, 4, 5];
  return madeRollout(
    'rollout-2.1-k',
    [
      { messages: begin, prompt: [1, 2, 3], answer: [4, 5], content: 'Let me look at three cities.' },
      { messages: city('Oslo'), prompt: [...start, 6], answer: [7, 5], content: '4 °C' },
      { messages: city('Rome'), prompt: [...start, 8], answer: [9, 5], content: '17 °C' },
      {
        messages: city('Lima'),
        prompt: [...start, 10],
        answer: [11, 5],
        content: '19 °C',
        more: { delivered: false, retry: 1 },
      },
      {
        messages: [...city('Rome'), assistant('17 °C'), user('Which is the warmest of Oslo 4, Rome 17?')],
        prompt: [...start, 8, 9, 5, 12],
        answer: [13, 5],
        content: 'Rome',
      },
      {
        messages: [user('A title for this chat')],
        prompt: [30, 31],
        answer: [32, 5],
        content: 'Cities',
        more: { auxiliary: true },
      },
    ],
    { rewards: [{ value: 0, name: 'reward', at: 5 }] },
  );
}
