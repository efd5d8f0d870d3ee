// Tests the keys of rollouts and of the server: each opens only what it is for, and none reaches another endpoint.
import type { IncomingHttpHeaders } from 'node:http';
import { ProxyServer, RolloutLog } from '../src/index.js';
import { scriptedServer } from './scripted-server.js';
import { answerRequests, newFolder, sendJson } from '@bowyer/testing';

const messages = [{ role: 'user', content: 'w1 w2' }];
const chat = { model: 'scripted', messages, max_tokens: 1 };

const ask = async (url: string, body: object | null, headers: Record<string, string>): Promise<number> =>
  (await sendJson(url, body ?? undefined, { headers })).status;

/** Requests on a rollout at `url`. */
const requests = (url: string): [path: string, body: object | null][] => [
  [`${url}/v1/chat/completions`, chat],
  [`${url}/v1/messages`, chat],
  [`${url}/messages`, chat],
  [`${url}/v1/models`, null],
  [url, null],
  [`${url}/`, null],
  [`${url}/rewards`, { value: 1 }],
  [`${url}/metrics`, { a: 1 }],
  [`${url}/metrics/`, { a: 1 }],
  [`${url}/end`, {}],
];

test.each(['the-server’s', null])(
  'with the server’s key %p a rollout’s key opens that rollout alone',
  async (given) => {
    const apiKey = given && Buffer.from(given).toString('hex');
    const { server, close } = await scriptedServer(undefined, { apiKey });
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
    const statuses = (url: string, headers: Record<string, string>) =>
      requests(url).reduce<Promise<number[]>>(
        async (before, [path, body]) => [...(await before), await ask(path, body, headers)],
        Promise.resolve([]),
      );
    const [own, other, third] = [
      await server.rollouts.begin({ id: 'a b' }),
      await server.rollouts.begin({ id: 'c' }),
      await server.rollouts.begin({ id: 'd' }),
    ];
    for (const headers of [bearer(own.apiKey), { 'x-api-key': own.apiKey }] as Record<string, string>[]) {
      expect(new Set(await statuses(other.url, headers))).toEqual(new Set([403]));
      const named = { ...headers, 'x-bowyer-rollout': 'c' };
      expect(await ask(`${server.origin}/v1/chat/completions`, chat, named)).toBe(403);
      for (const begun of [{ id: 'c', attempt: 1 }, { id: 'a b', attempt: 1 }, {}])
        expect(await ask(`${server.origin}/rollouts`, begun, headers)).toBe(403);
    }
    expect(await server.rollouts.read('c')).toMatchObject({
      status: 'open',
      calls: [],
      rewards: [],
      metrics: {},
      failures: [],
    });
    const open = requests(own.url).map(() => 200);
    expect(await statuses(own.url, bearer(own.apiKey))).toEqual(open);
    expect(await ask(`${server.origin}/v1/models`, null, bearer(own.apiKey))).toBe(200);
    const anyKey = bearer(apiKey ?? 'none');
    expect(await statuses(third.url, anyKey)).toEqual(open);
    expect(await ask(`${server.origin}/rollouts`, { id: 'c', attempt: 1 }, anyKey)).toBe(200);
    expect(await ask(other.url, null, bearer('none'))).toBe(apiKey === null ? 200 : 401);
    await close();
  },
);

test('an endpoint behind the proxy never gets the key of the server or of a rollout, and does get the client’s own', async () => {
  const seen: IncomingHttpHeaders[] = [];
  const endpoint = await answerRequests(({ headers }) => {
    seen.push(headers);
    return { choices: [{ index: 0, message: { content: 'x' } }] };
  });
  const upstream = `${endpoint.address}/v1`;
  const log = await RolloutLog.open(newFolder());
  const common = { upstream, host: '127.0.0.1', port: 0, log };
  const proxy = await ProxyServer.listen({ ...common, upstreamKey: null, apiKey: 'server' });
  const { url, apiKey } = await proxy.rollouts.begin({ id: 'a' });
  const sent: [Record<string, string>, string | undefined][] = [
    [{ authorization: 'Bearer server' }, undefined],
    [{ authorization: `bearer ${apiKey}` }, undefined],
    [{ 'x-api-key': apiKey }, undefined],
    [{ authorization: 'Bearer server', 'x-api-key': apiKey }, undefined],
    [{ authorization: `Bearer ${apiKey}`, 'x-api-key': 'theirs' }, 'Bearer theirs'],
    [{ authorization: 'Bearer theirs', 'x-api-key': 'server' }, 'Bearer theirs'],
  ];
  for (const [headers, expected] of sent)
    for (const path of ['v1/chat/completions', 'v1/models']) {
      expect(await ask(`${url}/${path}`, path.endsWith('models') ? null : { messages }, headers)).toBe(200);
      const got = seen.pop()!;
      expect(got.authorization).toBe(expected);
      expect(JSON.stringify(got)).not.toMatch(new RegExp(`server|${apiKey}`));
    }
  await proxy.close();
  await log.close();
  endpoint.close();
});
