import { costOf, usageOf } from './usage.js';

const stream = (...events: object[]) => ({
  type: 'text/event-stream',
  text: events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n',
});
const whole = (body: object) => ({ type: 'application/json', text: JSON.stringify(body) });
const counts = { input_tokens: 12, output_tokens: 3 };

test.each([
  ['Chat Completions', whole({ usage: { prompt_tokens: 12, completion_tokens: 3 } })],
  [
    'its stream',
    stream({ choices: [], usage: null }, { choices: [], usage: { prompt_tokens: 12, completion_tokens: 3 } }),
  ],
  ['Responses', whole({ usage: counts })],
  ['its stream', stream({ type: 'response.created', response: { usage: null } }, { response: { usage: counts } })],
  ['Messages', whole({ usage: counts })],
  ['its stream', stream({ message: { usage: { ...counts, output_tokens: 1 } } }, { usage: { output_tokens: 3 } })],
])('%s: the tokens that the endpoint reports', (_, answer) => {
  expect(usageOf({ upstream: 'URL', answer, promptIds: [], choices: [] })).toEqual({ input: 12, output: 3 });
});

test('a model of this machine has its tokens; a stream without usage has none that are known', () => {
  const choice = { ids: [4, 5, 6] } as Parameters<typeof usageOf>[0]['choices'][0];
  expect(usageOf({ promptIds: [1, 2], choices: [choice, choice] })).toEqual({ input: 2, output: 6 });
  expect(usageOf({ upstream: 'URL', answer: stream({ choices: [] }), promptIds: [], choices: [] })).toBeNull();
  expect(costOf({ input: 1_000_000, output: 500_000 }, { input: 2, output: 8 })).toBe(6);
});
