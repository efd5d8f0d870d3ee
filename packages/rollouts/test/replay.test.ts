// Tests that a recording is replayed without the endpoint that gave the answers.
import { Cassette, ProxyServer, ReplayServer, RolloutLog } from '../src/index.js';
import { scriptedServer } from './scripted-server.js';
import { post, tinyServer } from './tiny-server.js';
import { newFolder } from '@bowyer/testing';

const user = { role: 'user', content: 'w1 w2' };
const requests: [string, Record<string, unknown>][] = [
  ['v1/chat/completions', { messages: [user] }],
  ['v1/completions', { prompt: 'w1' }],
  ['v1/responses', { input: 'w1 w2' }],
  ['v1/messages', { messages: [user], max_tokens: 100 }],
].flatMap(([path, body]) =>
  [false, true].map((stream): [string, Record<string, unknown>] => [
    path as string,
    { model: 'scripted', ...(body as object), stream, metadata: { run: '1' } },
  ]),
);

let folder: string;
const answers: string[] = [];
beforeAll(async () => {
  const upstream = await scriptedServer();
  folder = newFolder();
  const log = await RolloutLog.open(folder);
  const { baseURL } = await upstream.server.rollouts.begin({ id: 'behind' });
  const at = { host: '127.0.0.1', port: 0, apiKey: null };
  const proxy = await ProxyServer.listen({ ...at, upstream: baseURL, upstreamKey: null, log });
  const { url } = await proxy.rollouts.begin({ id: 'one' });
  for (const [path, body] of requests) answers.push((await post(`${url}/${path}`, body)).text);
  await proxy.close();
  await log.close();
  await upstream.close();
});

let server: ReplayServer;
const replay = async (ignore: string[] = []) => {
  server = await ReplayServer.listen({ folder, host: '127.0.0.1', port: 0, apiKey: null, ignore });
};
afterEach(() => server.close());

test('the same requests get the same bytes, in each protocol, whole and streamed, in any order', async () => {
  await replay();
  expect(server.left).toBe(requests.length);
  for (const [i, [path, body]] of [...requests.entries()].reverse()) {
    const turned = Object.fromEntries(Object.entries(body).reverse()); // the order of members means nothing
    expect(await post(`${server.origin}/${path}`, turned)).toMatchObject({ status: 200, text: answers[i] });
  }
  expect(server.left).toBe(0);
});

test('another request is refused with the path of the difference and both texts, in the form of its protocol', async () => {
  await replay();
  const [path, body] = requests[0];
  const asked = { ...body, messages: [{ role: 'user', content: 'w1 w3' }] };
  const { status, text } = await post(`${server.origin}/${path}`, asked);
  expect([status, (JSON.parse(text) as { error: { message: string } }).error.message]).toEqual([
    400,
    "this request was not recorded; of those of 'chat-completions', call 0 of rollout 'one' is most alike, and differs in\n" +
      '  messages[0].content\n    recorded: "w1 w2"\n    sent:     "w1 w3"\n' +
      '  record the agent again where the change is intended',
  ]);
});

test('a proxy with a recording in the place of its endpoint answers with the same bytes, lists its models, and records again', async () => {
  await replay();
  const at = { host: '127.0.0.1', port: 0, apiKey: null, upstreamKey: null };
  const log = await RolloutLog.open(newFolder());
  const proxy = await ProxyServer.listen({ ...at, upstream: folder, cassette: await Cassette.read(folder), log });
  const { url } = await proxy.rollouts.begin({ id: 'again' });
  for (const [i, [path, body]] of requests.entries())
    expect(await post(`${url}/${path}`, body)).toMatchObject({ status: 200, text: answers[i] });
  const models = await (await fetch(`${proxy.origin}/v1/models`)).json();
  expect(models).toEqual({ object: 'list', data: [{ id: 'scripted', object: 'model' }] });
  const { calls } = await proxy.rollouts.read('again');
  expect(calls.map(({ answer }) => answer?.text)).toEqual(answers);
  expect(await post(`${url}/${requests[0][0]}`, { ...requests[0][1], model: 'other' })).toMatchObject({ status: 400 });
  await proxy.close();
  await log.close();
});

test('members in `ignore` may differ', async () => {
  await replay(['metadata']);
  const [path, body] = requests[0];
  const other = { ...body, metadata: { run: '2' } };
  expect(await post(`${server.origin}/${path}`, other)).toMatchObject({ status: 200, text: answers[0] });
});

test('a record of a model on this machine has no answers to replay', async () => {
  const tiny = await tinyServer();
  await tiny.close();
  await expect(ReplayServer.listen({ folder: tiny.folder, host: '127.0.0.1', port: 0, apiKey: null })).rejects.toThrow(
    `${tiny.folder} has no recorded answers of an endpoint\n  record the agent with an upstream: `,
  );
});
