// Tests every embedded environment, served as AgentGym's or OpenEnv's and played by its own client, with defaults.
import {
  agentGymFamilies,
  environmentInfo,
  environmentNames,
  makeEnv,
  makeSplitEnv,
  playEpisodes,
  remoteOnlyEnvs,
  type AgentGymFamily,
  type Env,
} from '@bowyer/envs';
import { serveEnv, serveOpenEnv } from '../src/index.js';

const limits = { host: '127.0.0.1', port: 0, maxInstances: 8, idleMs: 600_000 };
/** Environments whose games are only on other servers. */
const elsewhere: readonly string[] = [...remoteOnlyEnvs, 'sciworld', 'openenv', 'mcp'];
const embedded = environmentNames().filter((name) => !elsewhere.includes(name));
const families = embedded.filter((name) => Object.hasOwn(agentGymFamilies, name)) as AgentGymFamily[];

/** Plays actions of the environment's sample until the end, for a limited number of turns. */
async function play(makeOne: () => Env, name: string, episodes: number): Promise<void> {
  const { sampleActions } = environmentInfo(name);
  const played = await playEpisodes({
    makeEnv: makeOne,
    slots: 2,
    episodes,
    seeds: (episode: number) => 100 + episode,
    reset: (episode) => ({ episode }),
    act: (ready) =>
      ready.map(({ turn, episode }) =>
        turn === 6 ? new Error('enough') : sampleActions[(turn + episode) % sampleActions.length],
      ),
  });
  for (const { error, turns } of played) {
    if (error?.message !== 'enough') expect(error).toBeNull();
    expect(turns.length).toBeGreaterThan(0);
  }
}

test('there are six of them', () => {
  expect(families).toEqual(['alfworld', 'babyai', 'maze', 'textcraft', 'webshop', 'wordle']);
});

test.each(families)('%s over AgentGym’s protocol: each split, and the last problem', async (name) => {
  const server = await serveEnv({ name, options: {}, ...limits });
  try {
    const options = { backend: 'agentgym', baseUrl: server.url };
    for (const split of ['train', 'eval', 'test'] as const)
      await play(() => makeSplitEnv(name, split, options), name, 12);
    const env = makeEnv(name, options) as Env & { reset: (item: { dataIdx: number }) => Promise<unknown> };
    await env.reset({ dataIdx: agentGymFamilies[name].items - 1 });
    await env.close();
  } finally {
    await server.close();
  }
});

test.each(embedded)('%s over OpenEnv’s protocol', async (name) => {
  const server = await serveOpenEnv({ name, options: {}, ...limits });
  try {
    await play(() => makeSplitEnv('openenv', 'train', { baseUrl: server.url }), name, 4);
  } finally {
    await server.close();
  }
});

test('a shop with a given number of goals, even the default’s, is played by a client with webshop_upper', async () => {
  const server = await serveEnv({ name: 'webshop', options: { numGoals: 500 }, ...limits });
  const options = { backend: 'agentgym', baseUrl: server.url };
  try {
    await play(() => makeSplitEnv('webshop', 'test', { ...options, webshopUpper: 500 }), 'webshop', 8);
    const env = makeEnv('webshop', options) as Env & { reset: (item: { dataIdx: number }) => Promise<unknown> };
    await expect(env.reset({ dataIdx: 500 })).rejects.toThrow(/webshop_upper/);
    await env.close();
  } finally {
    await server.close();
  }
});
