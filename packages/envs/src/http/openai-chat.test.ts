// Tests answers with status 200 that contain no reply of a model, scripted on a real port.
import { answerRequests, type AnsweringServer } from '@bowyer/testing';
import { OpenAiChat, type CompletionOptions } from './openai-chat.js';

let server: AnsweringServer;
let replies: object[];
let requests: number;
const asked = [{ role: 'user', content: 'Well?' }] as const;

beforeEach(async () => {
  requests = 0;
  server = await answerRequests(() => replies[Math.min(requests++, replies.length - 1)]);
});
afterEach(() => server.close());

const said = (message: object, reason: string | null = 'stop') => ({ choices: [{ message, finish_reason: reason }] });

async function complete(options?: CompletionOptions): Promise<string> {
  const http = { retries: 9, backoffMs: 1, maxBackoffMs: 2 };
  const chat = new OpenAiChat({ baseUrl: `${server.address}/v1`, model: 'm', apiKey: null, concurrency: 1, http });
  try {
    return (await chat.complete(asked, {}, options)).content;
  } finally {
    await chat.close();
  }
}

test.each([
  ['an error', said({ content: '' }, 'error'), 'finish_reason is "error"'],
  ['an error beside a text', said({ content: 'loo' }, 'error'), 'finish_reason is "error"'],
  ['a filter', said({ content: '' }, 'content_filter'), 'finish_reason is "content_filter"'],
  [
    'no room',
    said({ content: '' }, 'length'),
    'the answer has no text (finish_reason is "length": max_tokens is too small)',
  ],
  ['no content', said({ content: null }), 'content is null (finish_reason is "stop")'],
  ['no content member', said({}), 'content is null (finish_reason is "stop")'],
  ['a refusal', said({ content: null, refusal: 'No.' }), 'the model refused (finish_reason is "stop"): No.'],
  [
    'a call',
    said({ content: null, tool_calls: [{}] }, 'tool_calls'),
    'content is null (finish_reason is "tool_calls"): the model has called tools, and no tools were offered',
  ],
  ['no choice', { choices: [] }, 'the list of choices is empty'],
  ['an error object', { error: { message: 'out of memory' } }, 'the answer is an error: {"message":"out of memory"}'],
  [
    'an error in the choice',
    { choices: [{ error: { code: 502 }, message: { content: '' } }] },
    'finish_reason is null: {"code":502}',
  ],
  [
    'open thoughts',
    said({ content: '<think>Hm' }, 'length'),
    `the model's thoughts do not end, so there is no answer (finish_reason is "length": max_tokens is too small)`,
  ],
  ['thoughts alone', said({ content: null, reasoning_content: 'Hm' }), 'content is null (finish_reason is "stop")'],
])('%s is the fault of the server: asked again, then an error', async (_, reply, detail) => {
  replies = [reply];
  await expect(complete()).rejects.toMatchObject({
    message: `POST ${server.address}/v1/chat/completions answered 200 (attempt 4, unanswered): ${detail}`,
  });
  expect(requests).toBe(4);
  [replies, requests] = [[reply, reply, said({ content: 'look' })], 0];
  expect(await complete()).toBe('look');
});

test.each([
  [said({ content: '<think>Hm</think>\nlook' }), 'look'],
  [said({ content: 'look', reasoning_content: 'Hm' }), 'look'],
  [
    said({
      content: [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'lo' },
        { type: 'text', text: 'ok' },
      ],
    }),
    'look',
  ],
  [said({ content: 'loo' }, 'length'), 'loo'],
  [said({ content: '' }), ''], // the agent's own word
  [said({ content: 'look', refusal: null }, null), 'look'],
])('%j is an answer', async (reply, text) => {
  replies = [reply];
  expect(await complete()).toBe(text);
});

test('an empty answer of an oracle is requested again; its refusal is an answer', async () => {
  replies = [said({ content: ' ' }), said({ content: 'Yes.' })];
  expect(await complete({ mayBeBlank: false })).toBe('Yes.');
  replies = [said({ content: null, refusal: 'No.' })];
  expect(await complete({ mayBeBlank: false, takesRefusal: true })).toBe('No.');
});
