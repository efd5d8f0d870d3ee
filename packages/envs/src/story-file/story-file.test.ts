import { checkEnv } from '../contract/check-env.js';
import { defaultsOf } from '../option.js';
import { lighthouseWalkthrough } from './lighthouse/walkthrough.js';
import { pythonList, StoryFile, storyFileSchema, type StoryFileInfo } from './story-file.js';

const defaults = { ...defaultsOf(storyFileSchema), validActions: false };

async function play(env: StoryFile, seed: number, commands: readonly string[]) {
  const start = await env.reset({ seed });
  const steps = [];
  for (const command of commands) steps.push(await env.step(command));
  return { start, steps, last: steps.at(-1)! };
}

const solution = lighthouseWalkthrough;

test.each([0, 1, 2, 3, 4, 5])('the Lighthouse is won with all 50 points, seed %i', async (seed) => {
  const env = new StoryFile(defaults);
  const { steps, last } = await play(env, seed, solution);
  await env.close();
  expect(steps.reduce((sum, { reward }) => sum + reward, 0)).toBe(50);
  expect(last).toMatchObject({ terminated: true, truncated: false, info: { won: true, score: 50, maxScore: 50 } });
});

test('seeds decide where the key is', async () => {
  const env = new StoryFile(defaults);
  const places = new Set<boolean>();
  for (let seed = 1000; seed < 1030; seed++) {
    const { last } = await play(env, seed, ['n', 'w']);
    places.add(last.observation.includes('brass key'));
  }
  await env.close();
  expect(places.size).toBe(2);
});

test('it passes the checks of the contract, with and without the search for valid actions', async () => {
  const actions = [...solution, 'east', 'swim', '', 'xyzzy', 'take note\nand more'];
  await checkEnv(() => new StoryFile({ ...defaults, stepLimit: 12 }), { actions });
  await checkEnv(() => new StoryFile({ ...defaults, stepLimit: 4, validActions: true }), { actions });
});

test('the observation is look, inventory, answer and valid actions, with nothing between', async () => {
  const env = new StoryFile({ ...defaults, validActions: true });
  const { last } = await play(env, 0, ['take note\nnorth']);
  await env.close();
  const info = last.info as StoryFileInfo;
  expect(info.text).toBe('\nTaken.\n');
  expect(info.inventory).toBe("\nYou are carrying:\n  a keeper's note\n");
  expect(info.validActions).toEqual(['east', 'north', 'put note down']);
  expect(last.observation).toBe(`${info.look}${info.inventory}\nTaken.\n['east', 'north', 'put note down']`);
});

test('the search for valid actions changes nothing', async () => {
  const [with_, without] = [new StoryFile({ ...defaults, validActions: true }), new StoryFile(defaults)];
  const commands = solution.slice(0, 8);
  const [searched, plain] = [await play(with_, 7, commands), await play(without, 7, commands)];
  expect(searched.steps.map(({ info }) => info.text)).toEqual(plain.steps.map(({ info }) => info.text));
  await Promise.all([with_.close(), without.close()]);
});

test('the step limit truncates, drowning terminates', async () => {
  const env = new StoryFile({ ...defaults, stepLimit: 2 });
  expect((await play(env, 0, ['look', 'look'])).last).toMatchObject({ terminated: false, truncated: true });
  const { last } = await play(env, 0, ['look', 'swim']);
  expect(last).toMatchObject({ terminated: true, truncated: false, info: { won: false } });
  await env.close();
});

test('sixty games at once in one process do not disturb each other', async () => {
  const envs = Array.from({ length: 60 }, () => new StoryFile(defaults));
  await Promise.all(envs.map((env, seed) => env.reset({ seed })));
  const texts: string[][] = envs.map(() => []);
  for (const command of solution.slice(0, 7)) {
    const results = await Promise.all(envs.map((env) => env.step(command)));
    results.forEach(({ observation }, i) => texts[i].push(observation));
  }
  const alone = new StoryFile(defaults);
  for (const seed of [0, 17, 59]) {
    const { steps } = await play(alone, seed, solution.slice(0, 7));
    expect(steps.map(({ observation }) => observation)).toEqual(texts[seed]);
  }
  await Promise.all([alone, ...envs].map((env) => env.close()));
});

test('a missing story file is named', () => {
  expect(() => new StoryFile({ ...defaults, story: 'no/such.z5' })).toThrow(/^no\/such\.z5: cannot be read \(ENOENT/);
});

test('lists are spelt as Python spells them', () => {
  expect(pythonList(['east', "take keeper's note", 'say "hi"', `it's "x"`])).toBe(
    `['east', "take keeper's note", 'say "hi"', 'it\\'s "x"']`,
  );
});
