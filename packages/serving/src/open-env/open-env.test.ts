// Tests the OpenEnv server with messages recorded from OpenEnv itself, and this project's OpenEnv client with the server.
import { checkEnv, makeEnv, playEpisodes, type Env } from '@bowyer/envs';
import { WebSocket } from 'ws';
import { OpenEnvServer, type OpenEnvServerOptions } from './open-env-server.js';
import { serveOpenEnv } from './serve-open-env.js';

const limits = { host: '127.0.0.1', port: 0, maxInstances: 2, idleMs: 60_000 };
const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

/**
 * An environment that counts its steps, of which two are an episode. The action `kaboom` throws, and `cut` truncates the episode.
 */
class Counter implements Env {
  #steps = 0;
  #start = '';
  constructor(private readonly draw: () => number = () => 0) {}
  reset({ seed }: { seed?: number } = {}) {
    this.#steps = 0;
    this.#start = `start ${seed ?? 'any'} ${this.draw()}`;
    return Promise.resolve({ observation: this.#start, info: { validActions: ['0', '1'], secret: 7 } });
  }
  step(action: string) {
    if (action === 'kaboom') return Promise.reject(new Error('kaboom'));
    const end = { terminated: ++this.#steps === 2, truncated: action === 'cut' };
    return Promise.resolve({ observation: `${this.#steps} ${action}`, reward: NaN, ...end, info: { won: true } });
  }
  close = () => Promise.resolve();
}

async function serve(more: Partial<OpenEnvServerOptions> = {}): Promise<OpenEnvServer> {
  const made = { name: 'counter', description: 'Counts.', makeEnv: () => new Counter() };
  const resetOptions: OpenEnvServerOptions['resetOptions'] = ({ seed }) => (seed === null ? {} : { seed });
  const server = await OpenEnvServer.listen({ ...limits, ...made, resetOptions, ...more });
  open.push(server);
  return server;
}

interface Talk {
  socket: WebSocket;
  /** Waits for the next message of the server; null when the connection is closed. */
  next(): Promise<unknown>;
  ask(text: string | object | Buffer): Promise<unknown>;
}

async function connect(server: OpenEnvServer): Promise<Talk> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`);
  const frames: unknown[] = [];
  let wake = () => {};
  const add = (frame: unknown) => {
    frames.push(frame);
    wake();
  };
  socket.on('message', (data: Buffer) => add(JSON.parse(data.toString())));
  socket.on('close', (code: number) => add(code));
  const next = async () => {
    while (frames.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return frames.shift();
  };
  await new Promise((resolve) => socket.once('open', resolve));
  const ask = (sent: string | object | Buffer) => {
    socket.send(typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : JSON.stringify(sent));
    return next();
  };
  return { socket, next, ask };
}

const refusal = (errors: object[]) => ({
  type: 'error',
  data: { message: 'Invalid message', code: 'VALIDATION_ERROR', errors },
});
const missing = (field: string) =>
  expect.objectContaining({ type: 'missing', loc: [field], msg: 'Field required' }) as object;
const extra = (field: string) => expect.objectContaining({ type: 'extra_forbidden', loc: [field] }) as object;
const observation = (fields: object, reward: number | null, done: boolean) => ({
  type: 'observation',
  data: { observation: fields, reward, done },
});

// The expected answers were recorded from a server of OpenEnv at commit 385de5e.
test('every recorded message is answered as recorded', async () => {
  const { ask, next, socket } = await connect(await serve());
  const anything = expect.anything() as unknown;
  expect(await ask({ type: 'state' })).toEqual({ type: 'state', data: { episode_id: null, step_count: 0 } });
  const start = { text: 'start any 0', available_actions: ['0', '1'] };
  expect(await ask({ type: 'reset' })).toEqual(observation(start, null, false));
  expect(await ask({ type: 'reset', data: { seed: 4 }, id: 1 })).toEqual(refusal([extra('id')]));
  expect(await ask({ type: 'reset', data: { seed: 'x' } })).toMatchObject({ data: { code: 'VALIDATION_ERROR' } });
  expect(await ask({ type: 'step' })).toEqual(refusal([missing('data')]));
  expect(await ask({ type: 'step', action: {} })).toEqual(refusal([missing('data'), extra('action')]));
  expect(await ask({ type: 'step', data: { msg: 'x' } })).toEqual(refusal([missing('message'), extra('msg')]));
  expect(await ask({ type: 'fly' })).toEqual({
    type: 'error',
    data: { message: 'Unknown message type: fly', code: 'UNKNOWN_TYPE' },
  });
  expect(await ask({})).toEqual({ type: 'error', data: { message: 'Unknown message type: ', code: 'UNKNOWN_TYPE' } });
  expect(await ask('{')).toMatchObject({ data: { code: 'INVALID_JSON', message: /^Invalid JSON: / } as object });
  const step = (message: string) => ({ type: 'step', data: { message } });
  expect(await ask(step('kaboom'))).toEqual({ type: 'error', data: { message: 'kaboom', code: 'EXECUTION_ERROR' } });
  // Messages that a client sends without waiting for answers are answered in order. A reward of NaN becomes null, since JSON
  // lacks NaN.
  for (const message of ['a', 'b']) socket.send(JSON.stringify(step(message)));
  expect(await next()).toEqual(observation({ text: '1 a' }, null, false));
  expect(await next()).toEqual(observation({ text: '2 b', end_reason: 'success' }, null, true));
  expect(await ask({ type: 'state' })).toEqual({ type: 'state', data: { episode_id: anything, step_count: 2 } });
  expect(await ask({ type: 'mcp', data: { jsonrpc: '2.0', method: 'tools/list', id: 3 } })).toEqual({
    type: 'mcp',
    data: { jsonrpc: '2.0', id: 3, error: { code: -32603, message: 'Environment does not support MCP', data: null } },
  });
  expect(await ask({ type: 'close' })).toBe(1000);
});

test.each([
  ['an array', '[1]'],
  ['a binary frame', Buffer.from('{"type":"state"}')],
])('%s ends the session', async (_, frame) => {
  const { ask, next } = await connect(await serve());
  expect(await ask(frame)).toMatchObject({ type: 'error', data: { code: 'SESSION_ERROR' } });
  expect(await next()).toBe(1000);
});

test('a full server refuses with its first frame; Bowyer’s client waits for a free session', async () => {
  const server = await serve();
  const talks = [await connect(server), await connect(server)];
  const third = await connect(server);
  expect(await third.next()).toEqual({
    type: 'error',
    data: {
      message: 'Server at capacity: 2/2 sessions active. Cannot accept new connections.',
      code: 'CAPACITY_REACHED',
      active_sessions: 2,
      max_sessions: 2,
    },
  });
  expect(await third.next()).toBe(1000);
  const env = makeEnv('openenv', { baseUrl: server.url });
  open.unshift(env);
  const waiting = env.reset();
  await talks[0].ask({ type: 'close' });
  expect((await waiting).observation).toBe('start any 0');
});

test('the routes that validators ask for', async () => {
  const { url } = await serve();
  const get = async (path: string) => (await (await fetch(url + path)).json()) as Record<string, never>;
  expect(await get('/health')).toEqual({ status: 'healthy' });
  expect(await get('/metadata')).toMatchObject({ name: 'counter', description: 'Counts.', version: '1.0.0' });
  expect(await get('/schema')).toMatchObject({ action: { required: ['message'] }, observation: {}, state: {} });
  expect(await get('/openapi.json')).toMatchObject({
    info: { version: '1.0.0' },
    paths: { '/reset': {}, '/step': {}, '/state': {} },
  });
  const post = async (path: string, body: string) => {
    const answer = await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return [answer.status, await answer.json()] as unknown[];
  };
  expect(await post('/mcp', '{}')).toMatchObject([200, { jsonrpc: '2.0', error: { code: -32600 } }]);
  expect(await post('/mcp', '{')).toMatchObject([200, { id: null, error: { code: -32700 } }]);
  expect(await post('/reset', '{"seed": 3}')).toMatchObject([200, { observation: { text: 'start 3 0' }, done: false }]);
  expect(await post('/reset', '{"seed": -1}')).toMatchObject([422, { detail: [{ loc: ['body', 'seed'] }] }]);
  expect(await post('/step', '{"action": {"message": "x"}}')).toMatchObject([200, { observation: { text: '1 x' } }]);
  expect(await post('/step', '{"message": "x"}')).toMatchObject([422, {}]);
  expect(await post('/fly', '{}')).toEqual([404, { detail: 'Not Found' }]);
});

test('Bowyer’s client plays textcraft on Bowyer’s server as in one process, and passes the checks of the contract', async () => {
  const options = { observation: 'turn', stepLimit: 3 };
  const server = await serveOpenEnv({ name: 'textcraft', options, ...limits, maxInstances: 4 });
  open.push(server);
  const remote = () => makeEnv('openenv', { baseUrl: server.url });
  const actions = ['get 1 stick', 'inventory', ''];
  await checkEnv(remote, { actions, episodes: 3 });
  const played = async (make: () => Env) => {
    const act = (ready: readonly unknown[]) => ready.map(() => actions[0]);
    const episodes = await playEpisodes({ makeEnv: make, slots: 3, episodes: 6, seeds: (i) => i, act });
    return episodes.map(({ error, turns }) => ({
      error,
      turns: turns.map(({ observation: o, reward, terminated, truncated }) => [o, reward, terminated, truncated]),
    }));
  };
  expect(await played(remote)).toEqual(await played(() => makeEnv('textcraft', options)));
  while (server.sessions > 0) await new Promise((resolve) => setTimeout(resolve, 5));
});

test('a server that ignores seeds is refused, unless that is wanted; a limit truncates; a lost session ends one episode', async () => {
  let drawn = 0;
  const server = await serve({ makeEnv: () => new Counter(() => drawn++) });
  const strict = makeEnv('openenv', { baseUrl: server.url });
  await expect(strict.reset({ seed: 5 })).rejects.toThrow(
    /ignores seeds: two resets with seed 5 .*\n.*env\.require_seed=false/,
  );
  await strict.close();
  const env = makeEnv('openenv', { baseUrl: server.url, requireSeed: false, connectMs: 0 });
  open.unshift(env);
  await env.reset({ seed: 5 });
  expect(await env.step('cut')).toMatchObject({ truncated: true, terminated: false, reward: 0 });
  await env.reset();
  await expect(env.step('kaboom')).rejects.toThrow('answered EXECUTION_ERROR: kaboom');
  await env.reset();
  const { port } = new URL(server.url);
  await server.close();
  await expect(env.step('x')).rejects.toThrow(/closed the connection \(1001/);
  await serve({ port: Number(port) });
  expect((await env.reset()).observation).toBe('start any 0');
});

test('actions as JSON: what does not fit is a wrong move', async () => {
  const server = await serve();
  const env = makeEnv('openenv', { baseUrl: server.url, actionFormat: 'json', maxTurns: 3 });
  open.unshift(env);
  await env.reset();
  expect(await env.step('hello')).toMatchObject({
    observation: 'Invalid action: reply with one JSON object.\n\nstart any 0',
  });
  expect((await env.step('{"msg": "x"}')).observation).toMatch(
    /^Invalid action: Invalid message; message: Field required; msg: Extra/,
  );
  const done = await env.step('```json\n{"message": "x"}\n```');
  expect(done).toMatchObject({ observation: '1 x', truncated: true });
});
