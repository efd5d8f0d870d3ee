// A proxy that records, in front of our own server of models as the endpoint.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProxyServer, requireTokens, RolloutLog } from '../src/index.js';
import { scriptedServer, type ScriptedServer } from './scripted-server.js';
import { json, post } from './tiny-server.js';

let upstream: ScriptedServer;
let log: RolloutLog;
let proxy: ProxyServer;
beforeAll(async () => {
  upstream = await scriptedServer();
  log = await RolloutLog.open(await mkdtemp(join(tmpdir(), 'proxy-')));
  const url = (await upstream.server.begin({ id: 'behind' })).baseURL;
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
    const before = (await upstream.server.read('behind')).calls.length;
    const { status, text } = await post(`${url}/${path}`, { model: 'scripted', ...body, stream });
    expect(status).toBe(200);
    const behind = (await upstream.server.read('behind')).calls[before];
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

test('calls of tools and thoughts are put together from the pieces of each protocol', async () => {
  const { foreignAnswer } = await import('../src/endpoint/proxy/foreign-answer.js');
  const events = (...data: object[]) => data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
  const delta = (content: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta: content, finish_reason }],
  });
  const called = { content: 'so', reasoning: 'hm', calls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] };
  const expected = [{ message: called, finishReason: 'tool_calls' }];
  const chat = events(
    delta({ role: 'assistant', content: 's', reasoning_content: 'hm' }),
    delta({ content: 'o', tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{"a"' } }] }),
    delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    delta({}, 'tool_calls'),
  );
  expect(foreignAnswer('chat-completions', `${chat}data: [DONE]\n\n`, true)).toEqual(expected);
  const blocks = events(
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'so' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  );
  expect(foreignAnswer('messages', blocks, true)).toEqual(expected);
  const output = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
    { type: 'message', content: [{ type: 'output_text', text: 'so' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' },
  ];
  const response = events({ type: 'response.completed', response: { status: 'completed', output } });
  expect(foreignAnswer('responses', response, true)).toEqual(expected);
});
