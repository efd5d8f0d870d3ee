// Tests the dashboard's answers over HTTP, to requests of its own page and of pages of other sites.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { HttpListener } from '@bowyer/serving';
import { newFolder } from '@bowyer/testing';
import { PlayTable } from './play-table.js';
import { Routes } from './routes.js';
import { RunIndex } from './run-index.js';

const TOKEN = 'a-long-random-text';
const folder = newFolder();
let listener: HttpListener;
let routes: Routes;

const episode = { episode: 1, iteration: 2, seed: 5, episodic_return: -3, opening: 'Questions:\n', segments: [] };
const turn = { action: 'is it a "Cat"?\n', reply: 'Yes.\n', reward: -1, terminated: true, truncated: false, info: {} };

beforeAll(async () => {
  const run = join(folder, 'runs', 'sweep', '0');
  await mkdir(join(run, 'trajectories'), { recursive: true });
  await writeFile(
    join(run, 'run-config.json'),
    JSON.stringify({ seed: 3, agentType: 'archer', env: { name: 'maze' } }),
  );
  await writeFile(
    join(run, 'metrics.jsonl'),
    '{"iteration":2,"rollout/episodic_return":-3,"rollout/win_rate":0.5}\n{"iterat',
  );
  await writeFile(join(run, 'trajectories', 'rollout.jsonl'), `${JSON.stringify({ ...episode, turns: [turn] })}\n`);
  await mkdir(join(folder, 'secret'));
  await writeFile(join(folder, 'secret', 'metrics.jsonl'), '');
  await symlink(join(folder, 'secret'), join(folder, 'runs', 'link'));
  const index = await RunIndex.open(join(folder, 'runs'));
  routes = new Routes({ index, table: new PlayTable(), token: TOKEN, log: () => undefined });
  listener = await HttpListener.listen({
    host: '127.0.0.1',
    port: 0,
    respond: (asked, response) => routes.respond(asked, response),
    refuse: ({ status, message }) => ({ status, json: { error: message } }),
  });
});
afterAll(async () => {
  routes.close();
  await listener.close();
});

interface Asked {
  method?: 'GET' | 'POST';
  body?: object | null;
  headers?: Record<string, string>;
}

/** Sends a request by node:http, since fetch sets the headers Host and Origin itself. */
async function ask(path: string, { method = 'GET', body, headers = {} }: Asked = {}) {
  const own = {
    authorization: `Bearer ${TOKEN}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  const asked = request(listener.origin + path, { method, headers: own }).end(
    body === undefined ? undefined : JSON.stringify(body),
  );
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response as AsyncIterable<Buffer>) text += piece.toString();
  return { status: response.statusCode, answer: JSON.parse(text) as Record<string, unknown> };
}

test('runs are found at any depth, links are not followed, and an incomplete line is ignored', async () => {
  const { answer } = await ask('/api/runs');
  expect(answer).toMatchObject([
    { id: 'sweep/0', status: 'interrupted', seed: 3, iteration: 2, return: -3, winRate: 0.5 },
  ]);
});

test('episodes are found by what was said in them, in any case', async () => {
  const found = async (text: string) =>
    (await ask(`/api/episodes?id=sweep/0&text=${encodeURIComponent(text)}`)).answer.found;
  expect([await found('a "cat"'), await found('terminated'), await found('dog')]).toEqual([1, 0, 0]);
  const { answer } = await ask('/api/episode?id=sweep/0&episode=rollout/1');
  expect(answer).toMatchObject({ id: 'rollout/1', return: -3, turns: [{ action: 'is it a "Cat"?\n' }] });
});

const stop = { id: 'sweep/0', action: 'stop' };

test.each<[string, number, string, Asked]>([
  ['reading without the token', 401, '/api/runs', { headers: { authorization: '' } }],
  [
    'reading with another token',
    401,
    '/api/run?id=sweep/0',
    { headers: { authorization: 'Bearer a-long-random-texT' } },
  ],
  ['the stream without the token', 401, '/api/events', { headers: { authorization: '' } }],
  ['acting without the token', 401, '/api/control', { method: 'POST', body: stop, headers: { authorization: '' } }],
  [
    'a page of another site',
    403,
    '/api/control',
    { method: 'POST', body: stop, headers: { origin: 'http://evil.example' } },
  ],
  ['a page opened from a file', 403, '/api/control', { method: 'POST', body: stop, headers: { origin: 'null' } }],
  ['a name that was rebound to this machine', 421, '/api/runs', { headers: { host: 'evil.example' } }],
  ['a form', 415, '/api/control', { method: 'POST', body: stop, headers: { 'content-type': 'text/plain' } }],
  ['acting by GET', 404, '/api/control?id=sweep/0&action=stop', {}],
  ['a path out of the folder', 404, '/api/run?id=../secret', {}],
  ['a run behind a link', 404, '/api/run?id=link', {}],
  ['an unknown request', 400, '/api/control', { method: 'POST', body: { ...stop, action: 'delete' } }],
  ['no object', 400, '/api/control', { method: 'POST', body: null }],
  ['a list', 400, '/api/play', { method: 'POST', body: [] }],
  ['a seed that is none', 400, '/api/play', { method: 'POST', body: { id: 'sweep/0', seed: 'x' } }],
  ['an action that is none', 400, '/api/play/step', { method: 'POST', body: { game: 'g', action: 1 } }],
  ['a game that is over', 409, '/api/play/step', { method: 'POST', body: { game: 'g', action: 'x' } }],
  ['a run without a checkpoint', 409, '/api/play', { method: 'POST', body: { id: 'sweep/0', seed: 1 } }],
  ['an episode that is not there', 404, '/api/episode?id=sweep/0&episode=rollout/7', {}],
  ['a run that nobody works on', 409, '/api/control', { method: 'POST', body: stop }],
])('%s is refused with %i', async (_, status, path, asked) => {
  const { status: answered, answer } = await ask(path, asked);
  expect([answered, answer.error]).toEqual([status, expect.stringMatching(/^[^\n]{10,300}$/)]);
  expect(existsSync(join(folder, 'runs', 'sweep', '0', 'control.json'))).toBe(false);
});

test('a running process gets the request of the page', async () => {
  const run = join(folder, 'runs', 'sweep', '0');
  for (const name of ['run.lock', 'takes-requests']) await writeFile(join(run, name), '{}');
  const { status } = await ask('/api/control', { method: 'POST', body: stop, headers: { origin: listener.origin } });
  expect(status).toBe(200);
  expect(JSON.parse(await readFile(join(run, 'control.json'), 'utf8'))).toEqual({ action: 'stop' });
});
