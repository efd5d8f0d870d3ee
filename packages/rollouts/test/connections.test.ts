// Tests connections that break, clients that send requests again, servers that restart, and weights that change.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptedServer, type ScriptedServer } from './scripted-server.js';
import { json, post } from './tiny-server.js';

const user = { role: 'user', content: 'w1 w2' };
const body = { model: 'scripted', messages: [user], stream: true };
let scripted: ScriptedServer;
beforeAll(async () => {
  scripted = await scriptedServer(undefined, { tokenMs: 2 });
});
afterAll(() => scripted.close());

/** Asks, and leaves once the first event has come. */
async function leave(url: string, json: object): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const text = JSON.stringify(json);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
  await once(socket, 'data');
  socket.destroy();
}

async function callsOf(id: string, count: number) {
  for (let look = 0; look < 200; look++) {
    const { calls } = await scripted.server.rollouts.read(id);
    if (calls.length >= count) return calls;
    await sleep(20);
  }
  throw new Error(`${id} has no ${count} calls`);
}

test('an answer whose client has left is recorded as not delivered; a counter in the header is proof that it is asked again', async () => {
  const { baseURL, id } = await scripted.server.rollouts.begin({ id: 'left' });
  const url = `${baseURL}/chat/completions`;
  await leave(url, body);
  expect(await callsOf(id, 1)).toMatchObject([{ call: 0, delivered: false }]);
  await post(url, body); // an equal body alone does not mark it as a retry
  await post(url, body, { 'x-stainless-retry-count': '1' });
  await post(url, body, { 'x-stainless-retry-count': '1' }); // no unanswered call is left that it could replace
  const calls = await callsOf(id, 4);
  expect(calls.map(({ delivered, retry, supersededBy }) => [delivered, retry, supersededBy])).toEqual([
    [false, 0, 2],
    [true, 0, undefined],
    [true, 1, undefined],
    [true, 1, undefined],
  ]);
  expect(new Set(calls.slice(1).map(({ choices }) => choices[0].ids.join())).size).toBe(3); // each request was sampled
});

test('headers of agents are hints, and mark calls that do not belong to the task', async () => {
  const { baseURL, id } = await scripted.server.rollouts.begin({ id: 'hints' });
  const headers = { 'x-session-id': 's1', 'x-parent-session-id': 's0', 'x-bowyer-purpose': 'auxiliary' };
  await post(`${baseURL}/chat/completions`, body, headers);
  expect((await scripted.server.rollouts.read(id)).calls[0]).toMatchObject({
    hints: { session: 's1', parent: 's0' },
    auxiliary: true,
  });
});

test('a request that is refused is a failure of its rollout', async () => {
  const { baseURL, id } = await scripted.server.rollouts.begin({ id: 'refused' });
  expect((await post(`${baseURL}/chat/completions`, { model: 'scripted', messages: 'x' })).status).toBe(400);
  await sleep(50);
  const { calls, failures } = await scripted.server.rollouts.read(id);
  expect([calls, failures]).toEqual([[], [{ call: 0, error: expect.stringContaining("'messages'") }]]);
});

test('the answers of a rollout depend on its id and the number of the call alone', async () => {
  const answers = async (attempt: number) => {
    const { baseURL, id } = await scripted.server.rollouts.begin({ id: 'same', attempt });
    for (let call = 0; call < 2; call++) {
      await post(`${scripted.server.origin}/rollouts/other/v1/chat/completions`, body);
      await post(`${baseURL}/chat/completions`, body);
    }
    return (await scripted.server.rollouts.read(id)).calls.map(({ choices }) => choices[0].ids);
  };
  const first = await answers(0);
  expect(first).toHaveLength(2);
  expect(await answers(1)).toEqual(first);
});

test('while the weights change no call is in progress, and the version of each token is known', async () => {
  const { baseURL, id } = await scripted.server.rollouts.begin({ id: 'versions' });
  await post(`${baseURL}/chat/completions`, body);
  const running = post(`${baseURL}/chat/completions`, body);
  await scripted.server.pause();
  const waiting = post(`${baseURL}/chat/completions`, body);
  await sleep(50);
  const during = (await scripted.server.rollouts.read(id)).calls.length;
  await scripted.server.changeWeights(() => {
    scripted.server.version = 1;
    return Promise.resolve();
  });
  scripted.server.resume();
  await Promise.all([running, waiting]);
  const { calls } = await scripted.server.rollouts.read(id);
  expect(calls.length).toBe(3);
  expect(calls.slice(0, during).every(({ choices }) => choices[0].versions[0].version === 0)).toBe(true);
  expect(calls.at(-1)!.choices[0].versions).toEqual([{ from: 0, version: 1 }]);
});

test('a change of weights that takes too long asks clients to come again', async () => {
  const short = await scriptedServer(undefined, { longestWaitMs: 20 });
  const { baseURL } = await short.server.rollouts.begin({ id: 'a' });
  await short.server.pause();
  expect((await post(`${baseURL}/chat/completions`, body)).status).toBe(429);
  short.server.resume();
  expect((await post(`${baseURL}/chat/completions`, body)).status).toBe(200);
  await short.close();
});

test('after a restart rollouts resume: their calls are continued, their keys known, and answers of the other process may be asked for again', async () => {
  const first = await scriptedServer();
  const opened = await first.server.rollouts.begin({ id: 'kept', task: 't' });
  const said = await json(`${opened.baseURL}/chat/completions`, { ...body, stream: false });
  await first.server.rollouts.reward('kept', { value: 1, key: 'k' });
  await first.close();
  const second = await scriptedServer(first.folder);
  const url = `${second.server.origin}/v1/chat/completions`;
  const headers = { authorization: `Bearer ${opened.apiKey}` };
  const result = { role: 'tool', tool_call_id: 'x', content: 'w3' };
  const messages = [user, said.choices[0].message, result];
  await post(url, { ...body, messages }, headers);
  await second.server.rollouts.reward('kept', { value: 2, key: 'k' });
  const { calls, rewards, task } = await second.server.rollouts.read('kept');
  const before = [...calls[0].promptIds, ...calls[0].choices[0].ids];
  expect(calls[1].promptIds.slice(0, before.length)).toEqual(before);
  expect([calls.map(({ call }) => call), rewards.length, task]).toEqual([[0, 1], 1, 't']);
  await second.close();
});
