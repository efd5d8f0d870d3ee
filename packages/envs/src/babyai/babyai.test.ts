import { Rng } from '@bowyer/core';
import { defaultsOf } from '../option.js';
import { environmentInfo, makeEnv } from '../registry.js';
import { availableActions, description } from './actions.js';
import { babyAiDemonstrations } from './demonstrations.js';
import { BabyAi, babyAiSchema, type BabyAiOptions } from './babyai.js';
import { Explorer } from './explorer.js';
import { Grid, World, type Cell, type Direction, type Move } from './grid.js';
import { levels, type Level } from './levels.js';
import type { Mission } from './mission.js';
import { seen } from './view.js';

const options: BabyAiOptions = { ...defaultsOf(babyAiSchema), levels: ['goto_local'], stepLimit: 300 };

/** Parses a map in letters: # wall, D shut door, ' open door, b blue ball, k grey key, > the agent and its direction. */
function worldOf(rows: readonly string[]): World {
  const grid = new Grid(rows[0].length, rows.length);
  const cells: Record<string, () => Cell> = {
    '#': () => 'wall',
    D: () => ({ kind: 'door', colour: 'purple', state: 'closed' }),
    "'": () => ({ kind: 'door', colour: 'purple', state: 'open' }),
    b: () => ({ kind: 'ball', colour: 'blue' }),
    k: () => ({ kind: 'key', colour: 'grey' }),
    '.': () => null,
  };
  let start = { position: { x: 0, y: 0 }, direction: 0 as Direction };
  rows.forEach((row, y) =>
    [...row].forEach((letter, x) => {
      if (letter in cells) grid.set({ x, y }, cells[letter]());
      else start = { position: { x, y }, direction: '>v<^'.indexOf(letter) as Direction };
    }),
  );
  return new World(grid, start.position, start.direction);
}

test('visible objects are described with distances ahead and aside, the nearest first', () => {
  const world = worldOf(['########', '#......#', '#..b...#', '#>....b#', '#..k...#', '########']);
  expect(description(world)).toBe(
    'In front of you in this room, you can see several objects: ' +
      'There is a blue ball 1 2 steps in front of you and 1 steps to your left.  ' +
      'There is a grey key 1 2 steps in front of you and 1 steps to your right.  ' +
      'There is a blue ball 2 right in front of you 5 steps away.  ' +
      'The room has walls around you. You are facing a ball 5 steps away. You are not carrying anything.',
  );
  expect(availableActions(world)).toEqual([
    'turn left',
    'turn right',
    'move forward',
    'pickup blue ball 1',
    'pickup grey key 1',
    'pickup blue ball 2',
    'go to blue ball 1',
    'go to grey key 1',
    'go to blue ball 2',
    'check available actions',
  ]);
});

test('without listActions an observation has no list of actions, which can be asked for', async () => {
  const [listed, unlisted] = [new BabyAi(options), new BabyAi({ ...options, listActions: false })];
  const [{ observation: long }, { observation: short, info }] = [
    await listed.reset({ seed: 1 }),
    await unlisted.reset({ seed: 1 }),
  ];
  const list = info.validActions as string[];
  expect(long).toBe(`${short}Available actions: [${list.map((action) => `"${action}"`).join(', ')}]\n`);
  expect((await unlisted.step('check available actions')).observation).toBe(
    `You can take the following actions: ${list.join(', ')}\n`,
  );
});

test('a shut door hides what is behind it, an open one does not', () => {
  const behind = (door: string) => seen(worldOf(['#######', `#>.${door}.b#`, '#######'])).map(({ name }) => name);
  expect(behind('D')).toEqual(['purple closed door']);
  expect(behind("'")).toEqual(['purple open door', 'blue ball']);
});

test.each(levels)('level %s: the expert finishes every world by listed actions alone', async (level) => {
  const env = new BabyAi({ ...options, levels: [level] });
  for (let seed = 0; seed < 8; seed++) {
    let { info } = await env.reset({ seed });
    let last;
    for (const action of env.expertPath()) {
      expect(info.validActions).toContain(action);
      expect(last?.terminated ?? false).toBe(false);
      last = await env.step(action);
      ({ info } = last);
    }
    expect(last).toMatchObject({ terminated: true, truncated: false });
    expect(last!.reward).toBeGreaterThan(0);
    expect(last!.reward).toBeLessThanOrEqual(1);
    expect(last!.observation).toContain('The task is completed.');
  }
});

test.each(levels)('level %s: an expert that knows what it has seen finishes by listed actions alone', async (level) => {
  const env = new BabyAi({ ...options, levels: [level] });
  let finished = 0;
  for (let seed = 0; seed < 5; seed++) {
    let { info } = await env.reset({ seed });
    let last;
    for (const action of env.explorerPath() ?? []) {
      expect(info.validActions).toContain(action);
      last = await env.step(action);
      ({ info } = last);
    }
    finished += Number(last?.terminated ?? false);
  }
  expect(finished).toBeGreaterThanOrEqual(3); // behind the door, another locked door or a thing may be in the way
});

const blueBall: Mission = [{ verb: 'goto', target: { kind: 'ball', colour: 'blue' } }];

test('an object behind the explorer is found by turning left, wherever it is', () => {
  const first = (rows: readonly string[]) => new Explorer(worldOf(rows)).next(blueBall);
  const room = (row: string) => ['#####', '#...#', row, '#...#', '#####'];
  const look = { action: 'turn left', purpose: 'look 1' };
  expect(first(['#######', '#.....#', '#.b...#', '#....>#', '#.....#', '#######'])).toEqual(look);
  expect(first(['#######', '#.....#', '#....>#', '#.b...#', '#.....#', '#######'])).toEqual(look);
  expect(first(room('#>.b#'))).toEqual({ action: 'go to blue ball 1', purpose: 'blue ball 2 ahead' });
});

/** Returns the actions and purposes until the agent goes through a door, which this world does not carry out. */
function untilDoor(world: World, explorer: Explorer, mission: Mission) {
  const steps: ReturnType<Explorer['next']>[] = [];
  for (let turn = 0; turn < 20 && !steps.at(-1)?.action.includes('through'); turn++) {
    const step = explorer.next(mission);
    expect(explorer.next(mission)).toEqual(step); // a second call changes nothing
    steps.push(step);
    if (step === null) break;
    if (step.action === 'turn left') world.move('left');
    explorer.acted(step.action);
  }
  return steps.map((step) => [step?.action, step?.purpose]);
}

test('the explorer looks all around before it turns to a shut door', () => {
  const world = worldOf(['#######', '#.....#', 'D....>#', '#.....#', '#######']);
  expect(untilDoor(world, new Explorer(world), blueBall)).toEqual([
    ...Array.from({ length: 6 }, (_, i) => ['turn left', `look ${i + 1}`]),
    ['toggle and go through purple closed door 1', 'purple closed door 5 ahead'],
  ]);
});

test('the path to a shut door out of view is planned, and is taken as soon as the door is in view', () => {
  const world = worldOf(['#########', '#...#...#', "#..>'...#", '#...#...#', 'D...#...#', '#########']);
  const explorer = new Explorer(world);
  const walk = (moves: readonly Move[], action: string) => {
    explorer.next(blueBall);
    moves.forEach((move) => world.move(move));
    explorer.acted(action);
  };
  walk(['left'], 'turn left');
  walk(['left'], 'turn left'); // the shut door is in view
  walk(['left', 'left', 'forward', 'forward', 'forward', 'forward'], 'go through purple open door 1');
  walk(['right', 'forward'], 'drop'); // the agent walks into a corner of the other room
  expect(untilDoor(world, explorer, blueBall)).toEqual([
    ...Array.from({ length: 6 }, (_, i) => ['turn left', `look ${i + 1}`]),
    ['go through purple open door 1', 'purple closed door by purple open door 1 ahead 3 left'],
  ]);
  walk(['forward', 'left', 'forward', 'forward', 'forward', 'forward'], 'go through purple open door 1');
  expect(explorer.next(blueBall)).toEqual({
    action: 'toggle and go through purple closed door 1',
    purpose: 'purple closed door 3 ahead 2 left',
  });
});

test('the explorer does not drop a thing for one that it has not seen yet', () => {
  const world = worldOf(['######', '#....#', '#.>.k#', '#....#', '######']);
  world.carrying = { kind: 'ball', colour: 'blue' };
  const pickup = (kind: 'key' | 'box'): Mission => [{ verb: 'pickup', target: { kind, colour: 'grey' } }];
  expect(new Explorer(world).next(pickup('box'))).toEqual({ action: 'turn left', purpose: 'look 1' });
  expect(new Explorer(world).next(pickup('key'))).toEqual({ action: 'drop', purpose: 'free hands' });
});

test('replies in the ReAct format say what is left to do and what for, and are played', async () => {
  const env = makeEnv('babyai', { levels: ['boss'], actionFormat: 'react', listActions: false, stepLimit: 64 });
  let won = 0;
  for (let seed = 0; seed < 20; seed++) {
    const { observation } = await env.reset({ seed });
    const mission = /^Your goal: (.*)/.exec(observation)![1];
    for (let ended = false; !ended;) {
      const reply = env.expertReply!();
      if (reply === null) break;
      const [, left, purpose] = /^Thought: (.+); (.+) Action: ./.exec(reply)!;
      expect(mission).toContain(left);
      expect(purpose).toMatch(/^(look \d( for .+)?|free hands|.+ \d+ (ahead|behind|left|right))$/);
      const step = await env.step(reply);
      ended = step.terminated || step.truncated;
      won += Number(step.terminated);
    }
  }
  expect(won).toBeGreaterThan(12);
});

test('a policy of some levels knows the words of all', async () => {
  const { tokens } = environmentInfo('babyai');
  const known = new Set([...tokens!.vocabulary!(options)].join(' ').split(/\W+/));
  const everything = { ...options, levels, actionFormat: 'react', listActions: false } as const;
  const played = await babyAiDemonstrations(everything, { episodes: 24, seed: 1, slips: 0.2, strays: 0.2 });
  const said = played.flat().flatMap(({ action }) => action.split(/\W+/));
  expect(said.filter((word) => word !== '' && !known.has(word) && !['Thought', 'Action'].includes(word))).toEqual([]);
});

const demonstrations = (asked: { slips?: number; strays?: number; levels?: readonly Level[]; stepLimit?: number }) => {
  const { levels: among = ['goto_local'], stepLimit = options.stepLimit, ...shares } = asked;
  return babyAiDemonstrations({ ...options, levels: among, stepLimit }, { episodes: 20, seed: 1, ...shares });
};

test('a slip is an invalid action, and the plan continues after it', async () => {
  const [steady, slipping] = [await demonstrations({}), await demonstrations({ slips: 0.5 })];
  const slips = slipping.flat().filter(({ slip }) => slip);
  expect(slips.length).toBeGreaterThan(2);
  for (const { action, info } of slips) expect(info!.validActions).not.toContain(action);
  const imitated = slipping.map((episode) => episode.filter(({ slip }) => !slip).map(({ action }) => action));
  expect(imitated).toEqual(steady.map((episode) => episode.map(({ action }) => action)));
});

test('a stray is valid and not imitated, and the expert finishes from where it leads', async () => {
  const straying = await demonstrations({ strays: 0.3, levels: ['goto', 'pickup'], stepLimit: 100 });
  const strays = straying.flat().filter(({ slip }) => slip);
  expect(strays.length).toBeGreaterThan(20);
  for (const { action, info } of strays) expect(info!.validActions).toContain(action);
  expect(strays.filter(({ observation, nextObservation }) => observation !== nextObservation).length).toBeGreaterThan(
    10,
  );
  for (const { action, info, slip } of straying.flat()) if (!slip) expect(info!.validActions).toContain(action);
  expect(straying.filter((episode) => episode.at(-1)!.terminated).length).toBeGreaterThan(10);
});

test('the expert replies from wherever random actions have led', async () => {
  const env = new BabyAi({ ...options, levels: ['goto_local', 'pickup_local', 'putnext_local'] });
  const rng = new Rng(1);
  let won = 0;
  for (let seed = 0; seed < 30; seed++) {
    let { info } = await env.reset({ seed });
    let ended = false;
    for (let turn = 0; !ended; turn++) {
      const advice = env.expertReply();
      const action = turn % 2 === 0 || advice === null ? rng.choice(info.validActions as string[]) : advice;
      const step = await env.step(action);
      ended = step.terminated || step.truncated;
      info = step.info;
      won += Number(step.terminated);
    }
  }
  expect(won).toBeGreaterThan(27);
});

test('answers to what cannot be done', async () => {
  const env = makeEnv('babyai');
  await env.reset({ seed: 1 });
  const said = async (action: string) => (await env.step(action)).observation.split('\n')[0];
  expect(await said('jump')).toBe('The action is not recognized. Please check valid actions.');
  expect(await said('drop')).toBe('You cannot drop the object, as you are not carrying anything.');
  expect(await said('')).toBe('No change in state.');
  expect(await said('please check')).toMatch(/^You can take the following actions: turn left, turn right/);
});

test('every low-level move costs 0.9 of its share of all moves', async () => {
  const env = new BabyAi(options);
  const rewardAfter = async (detour: readonly string[]) => {
    await env.reset({ seed: 4 });
    let reward = 0;
    for (const action of [...detour, ...env.expertPath()]) ({ reward } = await env.step(action));
    return reward;
  };
  // A single room has 64 moves.
  expect((await rewardAfter([])) - (await rewardAfter(['turn left', 'turn right']))).toBeCloseTo((0.9 * 2) / 64, 10);
});
