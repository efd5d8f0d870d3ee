// Tests the client of the option `backend` against a small game on a server of this machine.
import { answerRequests } from '@bowyer/testing';
import { environmentInfo, makeEnv } from '../registry.js';

test('backend=agentgym plays on the server: reset by item, plain action, its reward', async () => {
  const calls: string[] = [];
  const answers: Record<string, object> = {
    '/maze/create': { id: 3 },
    '/maze/reset': { observation: 'You see walls.' },
    '/maze/step': { observation: 'Success\n', reward: 1, done: true },
  };
  const { address, close } = await answerRequests(({ route, path, json }) => {
    calls.push(`${route} ${JSON.stringify(json)}`);
    return answers[path] ?? { error: 'unknown' };
  });
  const env = makeEnv('maze', { backend: 'agentgym', baseUrl: address });
  try {
    expect((await env.reset({ seed: 1 })).observation).toBe('You see walls.');
    expect(await env.step('move down')).toMatchObject({ observation: 'Success\n', reward: 1, terminated: true });
    expect(calls[0]).toMatch(/^POST \/maze\/create/);
    expect(calls[1]).toMatch(/^POST \/maze\/reset \{.*"game":\d+/);
    expect(calls[2]).toMatch(/^POST \/maze\/step \{.*"action":"move down"/);
  } finally {
    await env.close();
    close();
  }
});

test.each([
  ['wordle', "Let's start Wordle!"],
  ['maze', 'The goal is at position 8, 6.'],
  ['textcraft', 'Crafting commands:'],
])('demonstrations of %s for a server are what the server answers: turns, with its reward', async (name, opening) => {
  const envs = [{ name, backend: 'agentgym', baseUrl: 'http://127.0.0.1:1' }];
  const request = { count: 1, seed: 0, noise: 0 };
  const set = await environmentInfo('mixture').demonstrations!.make({ envs } as never, request as never);
  const episode = JSON.parse(set.file.text().split('\n')[0]) as {
    reset: { observation: string };
    steps: { observation: string; reward: number }[];
  };
  expect(episode.reset.observation).toContain(opening);
  expect(episode.steps[0].observation).not.toContain(`${episode.reset.observation}\n`);
  expect(episode.steps.at(-1)!.reward).toBe(1);
});
