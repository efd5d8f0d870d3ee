// Tests the player whose actions come from a chat endpoint, against a scripted HTTP server that answers in every wrong way.
import { Rng } from '@bowyer/core';
import { answerRequests, type AnsweringServer } from '@bowyer/testing';
import { EndpointPlayer } from './endpoint-player.js';

interface Asked {
  model: string;
  seed?: number;
  messages: { role: string; content: string }[];
}

/** The server's answer to one request. */
interface Reply {
  status?: number;
  content?: string;
  /** The `finish_reason` of the answer. */
  reason?: string;
  retryAfter?: string;
}

let server: AnsweringServer;
let asked: Asked[];
let atOnce: { now: number; most: number };
let script: (request: Asked, index: number) => Reply;

beforeEach(async () => {
  [asked, atOnce] = [[], { now: 0, most: 0 }];
  server = await answerRequests<Asked>(({ json, response }) => {
    atOnce.most = Math.max(atOnce.most, ++atOnce.now);
    asked.push(json);
    const { status = 200, content = '', reason = 'stop', retryAfter } = script(json, asked.length - 1);
    setTimeout(() => {
      atOnce.now--;
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      const usage = { prompt_tokens: 1000, completion_tokens: 10 };
      response.end(
        JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: reason }], usage }),
      );
    }, 5);
  });
});
afterEach(() => server.close());

const player = (options: object = {}, utteranceEnd: string | null = '\n') =>
  EndpointPlayer.open(
    {
      baseUrl: `${server.address}/v1`,
      model: 'm',
      apiKeyEnv: null,
      system: 'Play.',
      temperature: 1,
      topP: null,
      maxTokens: 8,
      concurrency: 3,
      retries: 2,
      timeoutMs: 10_000,
      sendsSeed: false,
      pricePerMillionPromptTokens: 2.5,
      pricePerMillionCompletionTokens: 10,
      ...options,
    },
    utteranceEnd,
  );

const ready = (observations: readonly string[], turn = 0) =>
  observations.map((observation, slot) => ({ slot, turn, observation, rng: new Rng(slot) }));

const actionsOf = async (chat: EndpointPlayer, requests: ReturnType<typeof ready>) =>
  (await chat.act(requests)).map((decision) => (decision instanceof Error ? decision : decision.action));

test('an answer that is not whole after timeout_ms fails its episode, though bytes arrive', async () => {
  const slow = await answerRequests(({ response }) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  const baseUrl = `${slow.address}/v1`;
  const chat = player({ baseUrl, retries: 0, timeoutMs: 150 });
  const [action] = await actionsOf(chat, ready(['Is it big?']));
  expect((action as Error).message).toMatch(/150/);
  await chat.close();
  slow.close();
});

test('the dialogue continues as messages; an action ends at the end of its line', async () => {
  const chat = player();
  script = (_, i) => ({ content: i === 0 ? ' is it big?\nI wonder.' : 'done' });
  expect(await actionsOf(chat, ready(['Questions:\n']))).toEqual(['is it big?']);
  expect(await actionsOf(chat, ready(['Questions:\nis it big? Yes.\n'], 1))).toEqual(['done']);
  expect(asked[1].messages).toEqual([
    { role: 'system', content: 'Play.' },
    { role: 'user', content: 'Questions:' },
    { role: 'assistant', content: 'is it big?\nI wonder.' },
    { role: 'user', content: 'Yes.' },
  ]);
  await chat.close();
});

test('thoughts are neither played nor sent back', async () => {
  const chat = player();
  script = (_, i) => ({ content: `<think>\nWhat about ${i}?\n</think>\n\nis it ${i}?` });
  expect(await actionsOf(chat, ready(['Questions:\n']))).toEqual(['is it 0?']);
  expect(await actionsOf(chat, ready(['Questions:\nis it 0? No.\n'], 1))).toEqual(['is it 1?']);
  expect(asked[1].messages.slice(2)).toEqual([
    { role: 'assistant', content: 'is it 0?' },
    { role: 'user', content: 'No.' },
  ]);
  await chat.close();
});

test('an answer that is a fault of the server is asked for again; one that stays so ends its own episode', async () => {
  const chat = player({ retries: 1 });
  script = ({ messages }, i) => {
    if (messages.at(-1)!.content === 'broken') return { content: '', reason: 'error' };
    return i < 2 ? { content: '<think>Hm', reason: 'length' } : { content: 'look' };
  };
  const [played, failed] = await actionsOf(chat, ready(['fine', 'broken']));
  expect(played).toBe('look');
  expect((failed as Error).message).toMatch(
    /^POST http:.*\/v1\/chat\/completions answered 200 \(attempt 2, unanswered\): finish_reason is "error"$/,
  );
  await chat.close();
});

test('without an end of utterances the action is the whole reply, and a seed and top_p are sent where wanted', async () => {
  const chat = player({ sendsSeed: true, topP: 0.9 }, null);
  script = () => ({ content: 'Thought:\nHm.\n\nAction:\nlook' });
  expect(await actionsOf(chat, ready(['A room.']))).toEqual(['Thought:\nHm.\n\nAction:\nlook']);
  expect(asked[0]).toMatchObject({ seed: new Rng(0).uint32(), top_p: 0.9, temperature: 1 });
  await chat.close();
});

test('status 500 fails the episode of its slot; 429 and 503 are requested again; the number of simultaneous requests is bounded', async () => {
  const chat = player();
  const tries = new Map<string, number>();
  script = ({ messages }) => {
    const said = messages.at(-1)!.content;
    const attempt = (tries.get(said) ?? 0) + 1;
    tries.set(said, attempt);
    if (said === 'broken') return { status: 500 };
    if (said === 'busy' && attempt === 1) return { status: 429, retryAfter: '0' };
    if (said === 'away' && attempt <= 2) return { status: 503 };
    return { content: `to ${said}` };
  };
  const actions = await actionsOf(chat, ready(['a', 'broken', 'busy', 'away', 'b', 'c', 'd', 'e']));
  expect(actions.map((action) => (action instanceof Error ? 'failed' : action))).toEqual([
    'to a',
    'failed',
    'to busy',
    'to away',
    'to b',
    'to c',
    'to d',
    'to e',
  ]);
  expect((actions[1] as Error).message).toMatch(
    /^POST http:.*\/v1\/chat\/completions answered 500 \(attempt 1, status\)/,
  );
  expect(atOnce.most).toBeLessThanOrEqual(3);
  expect(chat.usage).toEqual({
    header: ['m', 'requests', 'tokens', 'price a million', 'cost'],
    rows: [
      ['prompts', '', '7000', '2.5', '0.0175'],
      ['completions', '', '70', '10', '0.0007'],
      ['all', '7', '7070', '', '0.0182'],
    ],
  });
  await chat.close();
});

test.each([
  [401, 'refuses access: no key was sent (policy.endpoint.api_key_env=null)'],
  [404, "has no chat completions of the model 'm'"],
])('status %i stops everything with the reason', async (status, reason) => {
  const chat = player();
  script = () => ({ status });
  await expect(chat.act(ready(['a', 'b']))).rejects.toThrow(reason);
  expect(asked.length).toBeLessThanOrEqual(2);
  await chat.close();
});

test('a missing API key is reported before anything is sent', () => {
  expect(() => player({ apiKeyEnv: 'NO_SUCH_KEY_OF_BOWYER' })).toThrow(
    'policy.endpoint: the environment variable NO_SUCH_KEY_OF_BOWYER is not set',
  );
});
