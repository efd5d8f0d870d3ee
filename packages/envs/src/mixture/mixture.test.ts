import { environmentProblems } from '../config-keys.js';
import { environmentInfo, makeEnv } from '../registry.js';

const envs = ['maze', { name: 'maze', reward: 'agentgym' }, 'tabular'];

test('an episode is one of one environment, the seed decides of which; info names it', async () => {
  const mixture = makeEnv('mixture', { envs });
  const played = new Set<unknown>();
  for (let seed = 0; seed < 20; seed++) {
    const { observation, info } = await mixture.reset({ seed });
    const again = await mixture.reset({ seed });
    expect(again).toEqual({ observation, info });
    expect((await mixture.step('left')).info.env).toBe(info.env);
    played.add(info.env);
  }
  expect([...played].sort()).toEqual(['maze-1', 'maze-2', 'tabular']);
  await mixture.close();
});

test('a named member is played as the environment alone', async () => {
  const mixture = makeEnv('mixture', { envs });
  const alone = makeEnv('maze', { reward: 'agentgym' });
  const { info, ...start } = await (mixture as unknown as { reset(o: object): ReturnType<typeof alone.reset> }).reset({
    seed: 5,
    member: 1,
    memberReset: { seed: 3 },
  });
  const { info: own, ...expected } = await alone.reset({ seed: 3 });
  expect(start).toEqual(expected);
  expect(info).toEqual({ ...own, env: 'maze-2' });
  await Promise.all([mixture.close(), alone.close()]);
});

test('demonstrations are of all its environments, as many of each', async () => {
  const { demonstrations } = environmentInfo('mixture');
  const set = await demonstrations!.make({ envs: ['maze', 'textcraft'] }, { count: 6, seed: 0, noise: 0 });
  expect(set.summary).toMatch(/^maze: 3 episodes, .*; textcraft: 3 episodes/);
  expect(set.file.text().trim().split('\n')).toHaveLength(6);
});

test.each([
  [[{ name: 'maze', steps: 3 }], "Unknown option of maze 'steps'"],
  [['mixture'], 'env.envs: a mixture cannot be part of a mixture'],
  [[{ name: 'maze', backend: 'agentgym' }], 'env.envs[0].base_url is null: maze is played on a server'],
  [[{ name: 'twenty_questions', oracle: 'openai' }], "a mixture has the oracle 'rules' alone"],
  [['mase'], "Unknown environment 'mase'"],
])('what cannot be played is refused: %j', (listed, message) => {
  expect(environmentProblems('mixture', { envs: listed })[0].message).toContain(message);
});

test('a mixture of an environment without an expert has no demonstrations', () => {
  expect(environmentInfo('mixture').demonstrations!.problem!({ envs: ['maze', 'searchqa'] })).toBe(
    'searchqa has no demonstrations of its own, so the mixture has none',
  );
});
