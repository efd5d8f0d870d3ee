// Tests a recording proxy in front of our own model server as the endpoint.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProxyServer, requireTokens, RolloutLog, writeConversations } from '../src/index.js';
import { leaveAtEnd } from './leave-at-end.js';
import { scriptedServer, type ScriptedServer } from './scripted-server.js';
import { json, post } from './tiny-server.js';
import { answerRequests, newFolder, sendJson, type AnsweredRequest } from '@bowyer/testing';

let upstream: ScriptedServer;
let log: RolloutLog;
let proxy: ProxyServer;
beforeAll(async () => {
  upstream = await scriptedServer();
  log = await RolloutLog.open(newFolder());
  const url = (await upstream.server.rollouts.begin({ id: 'behind' })).baseURL;
  proxy = await ProxyServer.listen({
    upstream: url,
    upstreamKey: 'secret',
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    log,
  });
});
afterAll(async () => {
  await proxy.close();
  await log.close();
  await upstream.close();
});

const user = { role: 'user', content: 'w1 w2' };

test.each([
  ['chat-completions', 'v1/chat/completions', { messages: [user] }],
  ['completions', 'v1/completions', { prompt: 'w1' }],
  ['responses', 'v1/responses', { input: 'w1 w2' }],
  ['messages', 'v1/messages', { messages: [user], max_tokens: 100 }],
])('%s pass through, whole and streamed, and are recorded as messages without tokens', async (protocol, path, body) => {
  for (const stream of [false, true]) {
    const id = `${protocol} ${stream}`;
    const { url } = await proxy.rollouts.begin({ id });
    const before = (await upstream.server.rollouts.read('behind')).calls.length;
    const { status, text } = await post(`${url}/${path}`, { model: 'scripted', ...body, stream });
    expect(status).toBe(200);
    const behind = (await upstream.server.rollouts.read('behind')).calls[before];
    const [call] = (await proxy.rollouts.read(id)).calls;
    expect(call).toMatchObject({ protocol, delivered: true, promptIds: [], request: { ...body, stream } });
    expect(call.choices).toMatchObject([{ index: 0, ids: [], message: behind.choices[0].message }]);
    expect(call.choices[0].finishReason).toBe(behind.choices[0].finishReason);
    expect(call.messages).toEqual(protocol === 'completions' ? [] : [user]);
    expect(text).toContain(stream ? 'data: ' : behind.choices[0].message.content);
    expect(() => requireTokens({ id, calls: [call] })).toThrow(/no tokens and no log-probabilities/);
  }
});

test('an error of the endpoint reaches the client as it is, and is a failure of the rollout', async () => {
  const { baseURL } = await proxy.rollouts.begin({ id: 'refused' });
  const { status, text } = await post(`${baseURL}/chat/completions`, { model: 'other', messages: [user] });
  expect([status, JSON.parse(text).error.code]).toEqual([404, 'model_not_found']);
  await json(`${proxy.origin}/rollouts/refused/end`, {});
  const { calls, failures, status: state } = await proxy.rollouts.read('refused');
  expect([calls, failures.length, state]).toEqual([[], 1, 'ended']);
});

type Listener = (request: AnsweredRequest<unknown>) => unknown;

/** Runs a proxy in front of an endpoint whose requests `listener` answers. */
async function withEndpoint(listener: Listener, use: (proxy: ProxyServer, base: string) => Promise<void>) {
  const endpoint = await answerRequests(listener);
  const base = `${endpoint.address}/v1`;
  const folder = newFolder();
  const own = await RolloutLog.open(folder);
  const before = await ProxyServer.listen({
    upstream: base,
    upstreamKey: 'secret',
    host: '127.0.0.1',
    port: 0,
    apiKey: null,
    log: own,
    onFault: (error) => {
      throw error;
    },
  });
  try {
    await use(before, base);
  } finally {
    await before.close();
    await own.close();
    endpoint.close();
  }
}

test.each<[string, string, Listener, (asked: string) => string]>([
  [
    'breaks connections',
    'v1/chat/completions',
    ({ response }) => void response.destroy(),
    (asked) =>
      `${asked}: the endpoint cannot be reached (other side closed)\n  see that the endpoint runs, and that upstream is its base URL`,
  ],
  [
    'breaks its answers off',
    'v1/responses',
    ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{', () => response.destroy());
    },
    (asked) => `${asked}: the answer broke off (other side closed)\n  ask again`,
  ],
  [
    'is a page for people',
    'v1/messages',
    ({ response }) => void response.end('<html>'),
    (asked) =>
      `${asked}: the answer cannot be read (Unexpected token '<', "<html>" is not valid JSON)\n` +
      '  upstream is the base URL of an API of OpenAI or Anthropic, such as https://HOST/v1',
  ],
])(
  'an endpoint that %s: status 502 in the form of the protocol, and a failure of the rollout',
  async (_, path, listener, messageOf) => {
    await withEndpoint(listener, async ({ rollouts }, base) => {
      const { url } = await rollouts.begin({ id: 'a' });
      const { status, text } = await post(`${url}/${path}`, {
        model: 'x',
        messages: [user],
        input: 'w1',
        max_tokens: 5,
      });
      const message = messageOf(`POST ${base.replace('/v1', '')}/${path}`);
      const expected = path.endsWith('messages')
        ? { type: 'error', error: { type: 'api_error', message } }
        : { error: { message, type: 'server_error', param: null, code: null } };
      expect([status, JSON.parse(text)]).toEqual([502, expected]);
      await rollouts.end('a');
      expect(await rollouts.read('a')).toMatchObject({ calls: [], failures: [{ call: 0, error: message }] });
    });
  },
);

test.each([
  ['v1/chat/completions', ['{"choices":[{"index":0,"delta":{"content":"so"},"finish_reason":"stop"}]}', '[DONE]']],
  ['v1/messages', ['{"type":"message_delta","delta":{"stop_reason":"end_turn"}}', '{"type":"message_stop"}']],
])(
  '%s: a client that leaves where its answer ends has it in the record, however late the stream ends',
  async (path, events) => {
    const [end, last] = events.map((data) => `data: ${data}\n\n`);
    const endpoint: Listener = ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(end);
      setTimeout(() => response.end(last), 500);
    };
    await withEndpoint(endpoint, async ({ rollouts }) => {
      const { url } = await rollouts.begin({ id: 'a' });
      expect(await leaveAtEnd(`${url}/${path}`, { messages: [user], max_tokens: 9 })).toBe(true);
      await rollouts.end('a');
      expect((await rollouts.read('a')).calls).toMatchObject([{ delivered: true }]);
    });
  },
);

const sse = (...data: object[]) => data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
const said = (content: string, finish_reason: string | null = null) => ({
  choices: [{ delta: { content }, finish_reason }],
});

test.each<[string, string, string]>([
  [
    'ends with an error',
    sse(said('It rains'), { error: { message: 'overloaded' } }),
    'it ended with an error: "overloaded"',
  ],
  ['has no end', sse(said('It rains')), 'choice 0 has no finish_reason: it broke off'],
  ['has more than a record', sse(said('It'), { choices: [{ delta: { audio: {} } }] }, said('', 'stop')), "has 'audio'"],
])('a stream that %s reaches the agent as it is, and is a failure and no call', async (_, stream, reason) => {
  const listener: Listener = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
  };
  await withEndpoint(listener, async ({ rollouts }, base) => {
    const { url } = await rollouts.begin({ id: 'a' });
    const { status, text } = await post(`${url}/v1/chat/completions`, { messages: [user], stream: true });
    expect([status, text]).toEqual([200, stream]);
    await rollouts.end('a');
    const error = `POST ${base}/chat/completions: the answer was passed on, and is not recorded: `;
    expect(await rollouts.read('a')).toMatchObject({ calls: [], failures: [{ call: 0 }] });
    const [failure] = (await rollouts.read('a')).failures;
    expect(failure.error).toContain(error);
    expect(failure.error).toContain(reason);
  });
});

test('a stream whose connection breaks off breaks off for the agent, without its end, and is a failure', async () => {
  const listener: Listener = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(sse(said('It rains'), said('', 'stop')), () => setTimeout(() => response.destroy(), 50));
  };
  await withEndpoint(listener, async ({ rollouts }) => {
    const { url } = await rollouts.begin({ id: 'a' });
    const body = await pieces(url);
    let text = '';
    await expect(
      (async () => {
        for await (const piece of body) text += Buffer.from(piece).toString();
      })(),
    ).rejects.toThrow();
    expect(text).toBe(sse(said('It rains')));
    await rollouts.end('a');
    const { calls, failures } = await rollouts.read('a');
    expect([calls, failures.map(({ error }) => error)]).toEqual([
      [],
      [expect.stringContaining('the answer broke off')],
    ]);
  });
});

/** Asks, and returns the body of the answer as it arrives. */
async function pieces(url: string): Promise<ReadableStream<Uint8Array>> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ messages: [user] }) };
  return (await fetch(`${url}/v1/chat/completions`, sent)).body!;
}

test('an endless stream passes and is not kept: the agent leaves it, and the rollout has a failure', async () => {
  let left: Promise<unknown> = Promise.resolve();
  const listener: Listener = ({ response }) => {
    left = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const piece = sse(said('x'.repeat(2 ** 16)));
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  await withEndpoint(listener, async ({ rollouts }) => {
    const { url } = await rollouts.begin({ id: 'a' });
    const body = await pieces(url);
    let length = 0;
    for await (const piece of body) if ((length += piece.length) > 2 ** 25) break;
    await left; // the endpoint may stop writing
    await rollouts.end('a');
    const { failures } = await rollouts.read('a');
    expect(failures.map(({ error }) => error)).toEqual([expect.stringContaining('more than 16777216 characters')]);
  });
});

test('numbers stay as they were written: for the endpoint, in the record, and in the data to imitate', async () => {
  const schema =
    '{"type":"object","properties":{"order":{"type":"integer","minimum":0.0,"maximum":9223372036854775807}}}';
  const request =
    `{"model":"m","max_tokens":9,"temperature":1.0,"messages":[{"role":"user","content":"Cancel."}],` +
    `"tools":[{"name":"cancel","description":"d","input_schema":${schema}}]}`;
  const answer =
    '{"content":[{"type":"tool_use","id":"c","name":"cancel","input":{"order":7318204915520000013,"share":1.0}}],"stop_reason":"tool_use"}';
  let asked = '';
  const listener: Listener = ({ text, response }) => {
    asked = text;
    response.end(answer);
  };
  await withEndpoint(listener, async ({ rollouts }) => {
    const { url } = await rollouts.begin({ id: 'a' });
    expect((await sendJson(`${url}/v1/messages`, request)).text).toBe(answer);
    expect(asked).toBe(request);
    await rollouts.end('a');
    const rollout = await rollouts.read('a');
    const args = '{"order":7318204915520000013,"share":1.0}';
    expect(rollout.calls[0].choices[0].message.calls).toEqual([{ id: 'c', name: 'cancel', arguments: args }]);
    const path = join(newFolder(), 'conversations.jsonl');
    await writeConversations(path, [rollout], null);
    const line = await readFile(path, 'utf8');
    expect(line).toContain(`"parameters":${schema}`);
    expect(line).toContain(`"arguments":${JSON.stringify(args)}`);
  });
});

const saysOk: Listener = () => ({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] });

test('a call whose request is not read is recorded, and the file of conversations says why it is in none', async () => {
  await withEndpoint(saysOk, async ({ rollouts }) => {
    const { url } = await rollouts.begin({ id: 'a' });
    for (const content of ['Look.', [{ type: 'image_url', image_url: { url: 'x' } }]]) {
      const { status } = await post(`${url}/v1/chat/completions`, {
        model: 'm',
        messages: [{ role: 'user', content }],
      });
      expect(status).toBe(200);
    }
    await rollouts.end('a');
    const rollout = await rollouts.read('a');
    expect(rollout.failures).toEqual([]);
    expect(rollout.calls.map(({ messages }) => messages.length)).toEqual([1, 0]);
    expect(await writeConversations(join(newFolder(), 'conversations.jsonl'), [rollout], null)).toMatchObject({
      conversations: 1,
      unread: [expect.stringContaining("is 'image_url', which cannot be read")],
    });
  });
});

test.each(['{"order": 1.0}', '{"order": '])('a call %s of the history is recorded as it came', async (args) => {
  await withEndpoint(saysOk, async ({ rollouts }) => {
    const { url } = await rollouts.begin({ id: 'a' });
    const call = { id: 'c', type: 'function', function: { name: 'cancel', arguments: args } };
    const messages = [
      { role: 'user', content: 'Cancel.' },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'no' },
    ];
    expect((await post(`${url}/v1/chat/completions`, { model: 'm', messages })).status).toBe(200);
    await rollouts.end('a');
    const { calls } = await rollouts.read('a');
    expect(calls[0].messages[1]).toMatchObject({ tool_calls: [call] });
  });
});

test('choices and calls with indices near 2^32 are recorded at once, in their order', async () => {
  const pieces = sse(
    { choices: [{ index: 4_294_967_290, delta: { content: 'b' }, finish_reason: 'stop' }] },
    { choices: [{ index: 2, delta: { tool_calls: [{ index: 4_294_967_290, id: 'c', function: { name: 'f' } }] } }] },
    { choices: [{ index: 2, delta: {}, finish_reason: 'tool_calls' }] },
  );
  const listener: Listener = ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(pieces);
  };
  await withEndpoint(listener, async ({ rollouts }) => {
    const { url } = await rollouts.begin({ id: 'a' });
    await post(`${url}/v1/chat/completions`, { messages: [user], stream: true });
    const [{ choices }] = (await rollouts.read('a')).calls;
    expect(choices.map(({ index, message }) => [index, message.content, message.calls.length])).toEqual([
      [0, '', 1],
      [1, 'b', 0],
    ]);
  });
});

test('an endpoint that does not run gives 502, also for its models; one that takes too long gives 504', async () => {
  const { UpstreamError } = await import('../src/endpoint/proxy/upstream-error.js');
  let address = '';
  await withEndpoint(
    ({ response }) => void response.end(),
    (_, base) => Promise.resolve(void (address = base)),
  );
  const own = await RolloutLog.open(newFolder());
  const common = { upstreamKey: null, host: '127.0.0.1', port: 0, apiKey: null, log: own };
  const before = await ProxyServer.listen({ ...common, upstream: address });
  const { status, text } = await post(`${before.origin}/rollouts/a/v1/chat/completions`, { messages: [user] });
  const models = await fetch(`${before.origin}/v1/models`);
  expect([status, models.status]).toEqual([502, 502]);
  expect(text).toContain(`POST ${address}/chat/completions: the endpoint cannot be reached (connect ECONNREFUSED`);
  await before.close();
  await own.close();

  const late = new TypeError('fetch failed', {
    cause: { message: 'Headers Timeout Error', code: 'UND_ERR_HEADERS_TIMEOUT' },
  });
  expect(UpstreamError.unreachable('POST x', late)).toMatchObject({
    status: 504,
    message:
      'POST x: the endpoint did not answer in time (Headers Timeout Error)\n  ask again, or see whether it is overloaded',
  });
});
