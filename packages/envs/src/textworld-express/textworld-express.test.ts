import { defaultsOf } from '../option.js';
import { checkEnv } from '../contract/check-env.js';
import { textWorldExpressGames, textWorldExpressSampleActions } from './descriptions.js';
import { textWorldExpressSchema } from './options.js';
import { TextWorldExpress } from './textworld-express.js';

const options = defaultsOf(textWorldExpressSchema);

test.each(textWorldExpressGames)('%s keeps the contract', async (game) => {
  const report = await checkEnv(() => new TextWorldExpress(game, options), {
    actions: textWorldExpressSampleActions,
    episodes: 5,
  });
  expect(report.steps).toBeGreaterThanOrEqual(5);
});

test('a limit of L ends at action L + 1, rejected texts and spaces counted, "help" not', async () => {
  const env = new TextWorldExpress('coin', { ...options, stepLimit: 2 });
  await env.reset({ seed: 7 });
  const ends = [];
  for (const action of ['nonsense', 'help', '  look around\t', 'LOOK AROUND']) {
    const { terminated, truncated, info } = await env.step(action);
    ends.push([info.numMoves, info.accepted, terminated, truncated]);
  }
  expect(ends).toEqual([
    [1, false, false, false],
    [1, false, false, false],
    [2, true, false, false],
    [3, false, false, true],
  ]);
});

test('a rejected text changes nothing but the number of moves', async () => {
  const env = new TextWorldExpress('cookingworld', options);
  const { info } = await env.reset({ seed: 5 });
  const result = await env.step('open the pod bay doors');
  expect(result).toMatchObject({ observation: 'That is not something you can do now.', reward: 0 });
  expect(result.info).toEqual({
    ...Object.fromEntries(Object.keys(result.info).map((key) => [key, info[key]])),
    accepted: false,
    invalid: true,
    numMoves: 1,
  });
});

test.each(textWorldExpressGames)('%s: the rewards of the gold path sum to the final score', async (game) => {
  const env = new TextWorldExpress(game, { ...options, stepLimit: 500 });
  await env.reset({ seed: 11 });
  let sum = 0;
  let last;
  for (const action of await env.goldPath()) sum += (last = await env.step(action)).reward;
  expect(last).toMatchObject({ terminated: true, truncated: false, info: { won: true, failed: false, score: 1 } });
  expect(sum).toBeCloseTo(1, 12);
});

test('a reset takes fold, parameters and limit for its episode alone', async () => {
  const env = new TextWorldExpress('simonsays', options);
  const first = await env.reset({ seed: 4, fold: 'test', params: 'gameLength=2,numDistractors=0', stepLimit: 0 });
  expect(first.info).toMatchObject({ fold: 'test', properties: { gameLength: 2, gameSet: 3 } });
  expect((await env.step('nonsense')).truncated).toBe(true);
  const second = await env.reset({ seed: 4 });
  expect(second.info).toMatchObject({ fold: 'train', properties: { gameLength: 5, gameSet: 1 } });
  expect((await env.step('nonsense')).truncated).toBe(false);
});

test('a reset that fails leaves no episode to step in, and the next reset works', async () => {
  const env = new TextWorldExpress('mapreader', options);
  await env.reset({ seed: 1 });
  await expect(env.reset({ seed: 1, params: 'numLocations=1' })).rejects.toThrow('No world can be made');
  await expect(env.step('look around')).rejects.toThrow('call reset() to start the next one');
  await expect(env.reset({ seed: 1, params: 'numLocation=1' })).rejects.toThrow("did you mean 'numLocations'?");
  await expect(env.reset({ seed: 0.5 })).rejects.toThrow('mapreader: the seed is 0.5; give an integer');
  await expect(env.step('look around')).rejects.toThrow('call reset() to start the next one');
  await env.reset({ seed: 1 });
  expect((await env.step('look around')).info.accepted).toBe(true);
});

test('with nothing to put away the game is won by the first action', async () => {
  const env = new TextWorldExpress('twc', { ...options, params: 'numItemsToPutAway=0' });
  await env.reset({ seed: 1 });
  expect(await env.step('look around')).toMatchObject({ reward: 1, terminated: true });
});

test('the valid actions are written below the observation when asked for', async () => {
  const env = new TextWorldExpress('simonsays', {
    ...options,
    params: 'gameLength=2,numDistractors=0',
    showValidActions: true,
  });
  const { observation, info } = await env.reset({ seed: 4 });
  expect(observation.endsWith(`\nValid actions: ${(info.validActions as string[]).join(', ')}`)).toBe(true);
});

test.each<[string, () => unknown, string]>([
  [
    'an unknown game',
    () => new TextWorldExpress('coins', options),
    "Unknown TextWorldExpress game 'coins'\n  did you mean 'coin'?\n  known: cookingworld, twc, coin, mapreader, arithmetic, sorting, simonsays, peckingorder",
  ],
  [
    'a missing content folder',
    () => new TextWorldExpress('coin', { ...options, contentDir: '/nowhere' }),
    "Cannot use the content file /nowhere/cooking_world.json: ENOENT: no such file or directory, open '/nowhere/cooking_world.json'\n" +
      "  contentDir must contain cooking_world.json and twc_objects.folds.json in TextWorldExpress's form; leave contentDir out to play with the built-in content.",
  ],
])('%s is refused at once', (_, make, message) => {
  expect(make).toThrow(message);
});
