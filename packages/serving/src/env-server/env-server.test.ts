// Tests how an environment server behaves with many clients: limits, closing of idle environments, the order of requests to one
// instance, and stopping.
import { jest } from '@jest/globals';
import { agentGymEnv, type Env, makeEnv, playEpisodes } from '@bowyer/envs';
import { sendJson } from '@bowyer/testing';
import { EnvServer, type EnvServerOptions } from './env-server.js';
import { serveEnv } from './serve-env.js';

const limits = { host: '127.0.0.1', port: 0, maxInstances: 64, idleMs: 60_000 };

const post = (server: EnvServer, path: string, json: object = {}) => sendJson(server.url + path, json);

const open: EnvServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));
async function kept(opening: Promise<EnvServer>): Promise<EnvServer> {
  const server = await opening;
  open.push(server);
  return server;
}

const serve = (name: Parameters<typeof serveEnv>[0]['name'], more: Partial<typeof limits> = {}) =>
  kept(serveEnv({ name, options: {}, ...limits, ...more }));

/** Serves environments that a test makes, in the form of AgentGym's babyai server. */
const serveMade = (make: () => Env, more: Partial<EnvServerOptions> = {}) =>
  kept(
    EnvServer.listen({ ...limits, name: 'own', makeEnv: make, resetOptions: (seed) => ({ seed: seed ?? 0 }), ...more }),
  );

/**
 * An environment that answers each step after some milliseconds with the step's number. It counts the instances in which a step
 * is in progress.
 */
class SlowEnv implements Env {
  static atWork = 0;
  static closed = 0;
  #steps = 0;
  #isBusy = false;
  reset = () => Promise.resolve({ observation: 'start', info: {} });
  async step(action: string) {
    if (this.#isBusy) throw new Error('two steps of one instance at the same time');
    this.#isBusy = true;
    SlowEnv.atWork++;
    await new Promise((resolve) => setTimeout(resolve, 100));
    SlowEnv.atWork--;
    this.#isBusy = false;
    const observation = `${++this.#steps}: ${action}`;
    return { observation, reward: 0, terminated: false, truncated: false, info: {} };
  }
  async close() {
    SlowEnv.closed++;
  }
}

test('one environment too many is refused with 503 and Retry-After; Bowyer’s client waits until one is free', async () => {
  const server = await serve('textcraft', { maxInstances: 2 });
  const options = { baseUrl: server.url, actionFormat: 'plain', instructions: false } as const;
  const [first, second, third] = Array.from({ length: 3 }, () => agentGymEnv('textcraft', options));
  try {
    await first.reset({ seed: 1 });
    await second.reset({ seed: 2 });
    const refused = await post(server, '/create');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(refused.text).toBe('all 2 environments are in use (task.max_instances)');
    const waiting = third.reset({ dataIdx: 7 });
    await first.close();
    expect((await waiting).observation).toContain('Goal: craft jungle planks.');
    expect(server.instances.ids).toHaveLength(2);
  } finally {
    await Promise.all([first, second, third].map((env) => env.close()));
  }
});

test('an instance that nobody requests is closed by itself', async () => {
  SlowEnv.closed = 0;
  const server = await serveMade(() => new SlowEnv(), { idleMs: 300 });
  expect((await post(server, '/create')).body).toEqual({ id: 0 });
  while (server.instances.ids.length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(SlowEnv.closed).toBe(1);
  expect((await post(server, '/step', { id: 0, action: 'go' })).body).toEqual({ error: 'The id 0 is not valid.' });
});

test('an instance with requests is kept, also if the clock is changed; so is a busy one', async () => {
  const server = await serveMade(() => new SlowEnv(), { idleMs: 60_000 });
  for (const id of [0, 1]) expect((await post(server, '/create')).body).toEqual({ id });
  for (const id of [0, 1]) await post(server, '/reset', { id });
  const now = Date.now;
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 86_400_000); // the clock is set back by a day
  expect(await server.instances.closeIdle()).toBe(0);
  clock.mockRestore();
  const reset = performance.now();
  await post(server, '/step', { id: 1, action: 'go' }); // takes 100 ms
  expect(await server.instances.closeIdle(reset + 60_001)).toBe(1);
  expect(server.instances.ids).toEqual([1]);
  const step = post(server, '/step', { id: 1, action: 'go' });
  while (SlowEnv.atWork === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await server.instances.closeIdle(performance.now() + 60_001)).toBe(0); // it is at work, however long ago it was requested
  expect((await step).status).toBe(200);
  expect(await server.instances.closeIdle(performance.now() + 60_001)).toBe(1);
});

test('two steps of one instance at once are done one after another, in their order', async () => {
  const server = await serveMade(() => new SlowEnv());
  const arrived = jest.spyOn(server.instances, 'step');
  await post(server, '/create');
  await post(server, '/reset', { id: 0 });
  const actions = ['a', 'b', 'c'];
  const done: unknown[] = [];
  for (const action of actions) {
    done.push(post(server, '/step', { id: 0, action }));
    while (arrived.mock.calls.length < done.length) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const said = (await Promise.all(done)) as { body: { observation: string } }[];
  expect(said.map(({ body }) => body.observation)).toEqual(['1: a', '2: b', '3: c']);
});

test('a server that stops answers the requests that it has, then closes every environment', async () => {
  SlowEnv.closed = 0;
  const server = await serveMade(() => new SlowEnv());
  for (const id of [0, 1]) {
    await post(server, '/create');
    await post(server, '/reset', { id });
  }
  const { url } = server;
  const step = post(server, '/step', { id: 0, action: 'last' });
  while (SlowEnv.atWork === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  open.length = 0;
  const closed = server.close();
  expect((await step).body).toMatchObject({ observation: '1: last' });
  await closed;
  expect(SlowEnv.closed).toBe(2);
  await expect(fetch(url)).rejects.toThrow();
});

test.each(['textcraft', 'maze', 'wordle', 'babyai', 'webshop', 'alfworld'] as const)(
  '%s: 12 clients at once play what one embedded environment plays, and give everything back',
  async (name) => {
    const server = await serve(name);
    const played = { actionFormat: 'plain', instructions: false, maxRounds: 3, items: 25 } as const;
    const options = { baseUrl: server.url, ...played };
    // The policy plays the first valid action that an observation lists, so that equal observations get equal actions.
    const actions: Record<typeof name, string> = {
      textcraft: 'get 1 stick',
      maze: 'move down',
      wordle: 'r o b o t',
      babyai: 'turn left',
      webshop: 'search[red shoes]',
      alfworld: 'look',
    };
    const episodesOf = (slots: number) =>
      playEpisodes({
        makeEnv: () => agentGymEnv(name, options),
        slots,
        episodes: 24,
        seeds: (episode) => episode,
        act: (ready) => ready.map(() => actions[name]),
      });
    const [many, one] = [await episodesOf(12), await episodesOf(1)];
    const state = (episodes: typeof many) =>
      episodes.map(({ turns, error }) => ({
        error,
        turns: turns.map(({ observation, reward, terminated }) => [observation, reward, terminated]),
      }));
    expect(state(many)).toEqual(state(one));
    expect(many.filter(({ error }) => error !== null)).toEqual([]);
    const kept = ['textcraft', 'babyai'].includes(name) ? 0 : 12; // other environments cannot be given back, and stay
    expect(server.instances.ids.length).toBe(kept);
  },
);

test('textcraft continues after the end, as upstream; a game of ours is refused', async () => {
  const server = await serve('textcraft');
  const own = await serveMade(() => makeEnv('coin', { stepLimit: 1 }));
  await post(server, '/create');
  await post(server, '/reset', { id: 0, data_idx: 3 });
  await post(server, '/step', { id: 0, action: 'get 8 glass' });
  await post(server, '/step', { id: 0, action: 'get 1 green dye' });
  const action = 'craft 8 green stained glass using 8 glass, 1 green dye';
  expect((await post(server, '/step', { id: 0, action })).body).toMatchObject({ reward: 1, done: true });
  expect((await post(server, '/step', { id: 0, action: 'inventory' })).body).toEqual({
    observation: 'Inventory: [green stained glass] (8) ',
    reward: 0,
    done: false,
  });
  await post(own, '/create');
  await post(own, '/reset', { id: 0 });
  const look = () => post(own, '/step', { id: 0, action: 'look around' });
  while (!((await look()).body as { done: boolean }).done);
  expect((await look()).body).toEqual({
    error: 'The task with environment 0 has finished.',
  });
});
