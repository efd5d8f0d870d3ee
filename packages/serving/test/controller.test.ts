// Tests the requests of AgentGym's Python controller against serve_env: its recorded requests in their order and form. Answers
// are compared in full where the problems are the same here (textcraft, maze, wordle), by status and fields where they are not.
// The controller itself needs its own Python packages; its requests are all that a server sees of it.
import { recordedLines, sendJson, whenRecorded } from '@bowyer/testing';
import type { EnvName } from '@bowyer/envs';
import type { EnvServer } from '../src/env-server/env-server.js';
import { serveEnv } from '../src/env-server/serve-env.js';

type Fields = Record<string, unknown>;

interface Exchange {
  request: { method: string; path: string; json?: Fields };
  response: { status: number; json?: unknown };
}

interface Rollout {
  name: string;
  task: string;
  http: Exchange[];
}

const file = 'transcripts/controller_rollouts.jsonl';
const rollouts = recordedLines<Rollout>(file);

const limits = { host: '127.0.0.1', port: 0, maxInstances: 64, idleMs: 60_000 };

/** Sends a request as `post(json=…)` and `get(…)` of Python's requests do. */
async function send(server: EnvServer, { method, path, json }: Exchange['request']): Promise<Exchange['response']> {
  const headers = { 'user-agent': 'python-requests/2.31.0' };
  const { status, body } = await sendJson(new URL(server.url).origin + path, json, { method, headers });
  return { status, json: body };
}

const idOf = (created: unknown): number =>
  typeof created === 'number' ? created : Number((created as { id: number }).id);

/** Returns the names and types of fields; of a list those of its first element. */
function form(value: unknown): unknown {
  if (Array.isArray(value)) return [form(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, part]: [string, unknown]) => [key, form(part)]));
}

const HAVE_OUR_PROBLEMS: readonly EnvName[] = ['textcraft', 'maze', 'wordle'];

whenRecorded(file).test.each(rollouts)('$name', async ({ task, http }) => {
  const name = task.toLowerCase().replace('lmrl-gym.', '') as EnvName;
  const server = await serveEnv({ name, options: {}, ...limits });
  try {
    const recordedId = idOf(http[0].response.json);
    // Where /create begins an episode, the id decides which one: ours has to be the recorded one.
    if (name === 'textcraft') for (let i = 0; i < recordedId; i++) await sendJson(`${server.url}/create`, {});
    const [first, ...others] = http;
    const created = await send(server, first.request);
    const id = idOf(created.json);
    const withOurId = ({ method, path, json }: Exchange['request']): Exchange['request'] => ({
      method,
      path: path.replace(String(recordedId), String(id)),
      json:
        json &&
        Object.fromEntries(Object.entries(json).map(([key, value]) => [key, value === recordedId ? id : value])),
    });
    const told = HAVE_OUR_PROBLEMS.includes(name) ? (json: unknown) => json : form;
    if (name === 'textcraft') expect(created).toEqual(first.response);
    for (const { request, response } of others) {
      const { status, json } = await send(server, withOurId(request));
      const expected =
        name === 'wordle' && 'id' in Object(response.json) ? { ...Object(response.json), id } : response.json;
      expect({ path: request.path, status, json: told(json) }).toEqual({
        path: request.path,
        status: response.status,
        json: told(expected),
      });
    }
  } finally {
    await server.close();
  }
});

// These requests were not recorded; they are read from the source of its client (AgentGym at 3ef9235).
test('alfworld: create, reset by game in the world of Text, steps until the end, then the refusal', async () => {
  const server = await serveEnv({ name: 'alfworld', options: { stepLimit: 3 }, ...limits });
  const post = (path: string, json?: Fields) => send(server, { method: 'POST', path, json });
  try {
    expect(await post('/create')).toEqual({ status: 200, json: { id: 0 } });
    const start = await post('/reset', { game: 7, world_type: 'Text', id: 0 });
    const { observation, available_actions: actions, task_type: type } = start.json as Record<string, string>;
    expect(observation).toMatch(/^You are in the middle of a room\.[^]*\nYour task is to: [^\n]*\.$/);
    expect([Array.isArray(actions), typeof type]).toEqual([true, 'string']);
    const step = await post('/step', { action: 'look', id: 0 });
    expect(form(step.json)).toEqual({
      observation: 'string',
      reward: 'number',
      available_actions: ['string'],
      done: 'boolean',
    });
    await post('/step', { action: 'look', id: 0 });
    expect((await post('/step', { action: 'inventory', id: 0 })).json).toMatchObject({ done: true, reward: 0 });
    const finished = { status: 200, json: { error: 'The task with environment 0 has finished.' } };
    expect(await post('/step', { action: 'look', id: 0 })).toEqual(finished);
    expect((await post('/reset', { game: 7, world_type: 'Text', id: 0 })).json).toEqual(start.json);
    expect((await post('/reset', { game: 7, world_type: 'Embody', id: 0 })).json).toHaveProperty('error');
    expect((await post('/reset', { game: 7, id: 0 })).status).toBe(422);
    expect((await post('/close', { id: 0 })).status).toBe(404);
  } finally {
    await server.close();
  }
});
