import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { Rng } from '@bowyer/core';
import { defaultsOf } from '../option.js';
import { makeEnv } from '../registry.js';
import { Alfworld, alfworldSchema } from './alfworld.js';
import { furnishings } from './furnishings.js';
import { Household, NOTHING_HAPPENS } from './household.js';
import { makeProblem } from './make-problem.js';
import { taskTypes } from './problem.js';
import { findGames, readProblem } from './problem-file.js';

const options = defaultsOf(alfworldSchema);

/** A kitchen with a goal that none of the six tasks has, in ALFWorld's format, written for this test. */
const kitchen = `(define (problem small_kitchen) (:domain alfred)
  (:objects agent1 - agent
    Apple_bar__plus_01 Apple_bar__plus_02 Knife_bar__plus_01 - object
    Fridge_bar_1 Microwave_bar_1 Sink_bar_1_bar_SinkBasin CounterTop_bar_1 - receptacle
    loc_bar_0 loc_bar_1 loc_bar_2 - location)
  (:init (= (totalCost) 0) (atLocation agent1 loc_bar_0)
    (receptacleType Fridge_bar_1 FridgeType) (receptacleType Microwave_bar_1 MicrowaveType)
    (receptacleType Sink_bar_1_bar_SinkBasin SinkBasinType) (receptacleType CounterTop_bar_1 CounterTopType)
    (objectType Apple_bar__plus_01 AppleType) (objectType Apple_bar__plus_02 AppleType) (objectType Knife_bar__plus_01 KnifeType)
    (receptacleAtLocation Fridge_bar_1 loc_bar_1) (receptacleAtLocation Microwave_bar_1 loc_bar_2)
    (receptacleAtLocation Sink_bar_1_bar_SinkBasin loc_bar_2) (receptacleAtLocation CounterTop_bar_1 loc_bar_2)
    (openable Fridge_bar_1) (openable Microwave_bar_1)
    (canContain FridgeType AppleType) (canContain CounterTopType AppleType) (canContain CounterTopType KnifeType)
    (inReceptacle Apple_bar__plus_01 CounterTop_bar_1) (inReceptacle Apple_bar__plus_02 Fridge_bar_1)
    (inReceptacle Knife_bar__plus_01 CounterTop_bar_1)
    (pickupable Apple_bar__plus_01) (pickupable Apple_bar__plus_02) (pickupable Knife_bar__plus_01)
    (heatable Apple_bar__plus_01) (coolable Apple_bar__plus_02) (coolable Apple_bar__plus_01) (cleanable Apple_bar__plus_01) (sliceable Apple_bar__plus_01)
    (= (distance loc_bar_0 loc_bar_1) 3)) ; distances are for planners
  (:goal (and
    (exists (?r - receptacle ?o - object) (and (inReceptacle ?o ?r) (receptacleType ?r FridgeType) (objectType ?o AppleType) (isHot ?o)))
    (forall (?r - receptacle) (not (opened ?r))))))`;

describe('commands', () => {
  const household = () => new Household(makeProblem(new Rng(7), ['pick_and_place_simple']), 'put');

  test('every admissible command does something; all else is refused and changes nothing', () => {
    for (let seed = 0; seed < 20; seed++) {
      const rng = new Rng(seed);
      const play = new Household(makeProblem(rng, taskTypes), 'put');
      for (let step = 0; step < 60; step++) {
        const commands = play.admissibleCommands();
        expect(commands).toEqual([...new Set(commands)].sort());
        expect(play.obey(rng.choice(commands))).not.toBe(NOTHING_HAPPENS);
        const after = play.admissibleCommands();
        for (const wrong of [
          'go to',
          'take x from y',
          'open agent',
          'put  in/on ',
          'heat with',
          'slice',
          'help me',
          '',
        ])
          expect(play.obey(wrong)).toBe(NOTHING_HAPPENS);
        expect(play.admissibleCommands()).toEqual(after);
      }
    }
  });

  test('a command that is not admissible is refused, whatever its form', () => {
    const play = household();
    const all = new Set<string>();
    const rng = new Rng(1);
    for (let step = 0; step < 300; step++) {
      for (const command of play.admissibleCommands()) all.add(command);
      play.obey(rng.choice(play.admissibleCommands()));
    }
    const now = new Set(play.admissibleCommands());
    const refused = [...all].filter((command) => !now.has(command));
    expect(refused.length).toBeGreaterThan(20);
    for (const command of refused) expect([command, play.obey(command)]).toEqual([command, NOTHING_HAPPENS]);
  });
});

test('the expert wins every household within the limit, whatever the task', async () => {
  for (const type of taskTypes) {
    const env = new Alfworld({ ...options, taskTypes: [type], stepLimit: 150 });
    for (let seed = 0; seed < 60; seed++) {
      await env.reset({ seed });
      const { commands, won } = env.expertPath(seed);
      expect({ type, seed, won }).toEqual({ type, seed, won: true });
      let last;
      for (const command of commands) {
        expect(last?.terminated ?? false).toBe(false);
        last = await env.step(command);
        expect(last.observation).not.toContain(NOTHING_HAPPENS);
      }
      expect(last).toMatchObject({ reward: 1, terminated: true, truncated: false });
    }
  }
});

test('a thing names each of its usual places once, so that every one is drawn as often', () => {
  const repeated = furnishings().things.filter(({ places }) => new Set(places).size < places.length);
  expect(repeated.map(({ kind }) => kind)).toEqual([]);
});

test('without draws the expert searches in the order of the list, and wins too', async () => {
  const env = new Alfworld({ ...options, stepLimit: 150 });
  for (let seed = 0; seed < 60; seed++) {
    const { observation } = await env.reset({ seed });
    const { commands, won } = env.expertPath(null);
    expect(won).toBe(true);
    const searched = commands.slice(
      0,
      commands.findIndex((command) => command.startsWith('take')),
    );
    const places = searched.flatMap((command) => /^go to (.+)/.exec(command)?.slice(1) ?? []);
    const listed = places.map((place) => observation.indexOf(`a ${place}`));
    // The usual places come first.
    expect(listed.filter((at, i) => i > 0 && at < listed[i - 1]).length).toBeLessThan(2);
  }
});

test('no household is won before a command is given, nor by looking', () => {
  for (let seed = 0; seed < 200; seed++) {
    const play = new Household(makeProblem(new Rng(seed), taskTypes), 'put');
    expect(play.won).toBe(false);
    play.obey('look');
    expect(play.won).toBe(false);
  }
});

test('the limit cuts the episode', async () => {
  const env = makeEnv('alfworld', { stepLimit: 2 });
  await env.reset({ seed: 3 });
  expect(await env.step('look')).toMatchObject({ truncated: false, reward: 0 });
  expect(await env.step('dance')).toMatchObject({
    observation: 'Nothing happens.\n',
    truncated: true,
    terminated: false,
  });
});

test('a history continues from the last observation and the command', async () => {
  const env = makeEnv('alfworld', { observation: 'history' });
  const { observation } = await env.reset({ seed: 3 });
  const first = await env.step('look');
  expect(first.observation.startsWith(`${observation}look\nYou are in the middle of a room.`)).toBe(true);
  expect((await env.step('dance')).observation).toBe(`${first.observation}dance\nNothing happens.\n`);
});

describe('game files', () => {
  const folder = newFolder();
  const write = (text: string, name = 'game.tw-pddl') => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const game = JSON.stringify({
    pddl_domain: '(define (domain alfred))',
    grammar: '{"task": [{"rhs": "Your task is to: heat some apple and put it in fridge."}]}',
    pddl_problem: kitchen,
    solvable: true,
  });

  test('a PDDL problem is played: names, shared locations, quantified goal', async () => {
    const env = new Alfworld({ ...options, games: write(game) });
    const { observation } = await env.reset();
    expect(observation).toBe(
      'You are in the middle of a room. Looking quickly around you, you see a fridge 1, a microwave 1, a sinkbasin 1, and a countertop 1.\n' +
        'Your task is to: heat some apple and put it in fridge.\n',
    );
    const said = async (command: string) => (await env.step(command)).observation.trimEnd();
    // The first id of a kind has the highest number.
    expect(await said('go to countertop 1')).toBe('On the countertop 1, you see a apple 2, and a knife 1.');
    expect(await said('take apple 2 from countertop 1')).toBe('You pick up the apple 2 from the countertop 1.');
    expect(await said('heat apple 2 with microwave 1')).toBe('You heat the apple 2 using the microwave 1.');
    expect(await said('go to fridge 1')).toBe('The fridge 1 is closed.');
    expect(await said('put apple 2 in/on fridge 1')).toBe('Nothing happens.');
    expect(await said('open fridge 1')).toBe('You open the fridge 1. The fridge 1 is open. In it, you see a apple 1.');
    expect(await env.step('put apple 2 in/on fridge 1')).toMatchObject({ reward: 0, terminated: false }); // the fridge is still open
    expect(await env.step('close fridge 1')).toMatchObject({ reward: 1, terminated: true });
  });

  test('the task is read from traj_data.json, so that the expert can play', async () => {
    const params = { object_target: 'Apple', parent_target: 'CounterTop', toggle_target: '' };
    write(JSON.stringify({ task_type: 'pick_cool_then_place_in_recep', pddl_params: params }), 'traj_data.json');
    const goal = kitchen.replace(
      /\(:goal[\s\S]*/,
      '(:goal (exists (?r - receptacle) (exists (?o - object) (and (receptacleType ?r CounterTopType) (inReceptacle ?o ?r) (objectType ?o AppleType) (isCool ?o))))))',
    );
    const env = new Alfworld({ ...options, games: write(JSON.stringify({ pddl_problem: goal })) });
    const { observation, info } = await env.reset();
    expect(observation).toContain('Your task is to: put a cool apple in/on a countertop.');
    expect(info.taskType).toBe('pick_cool_then_place_in_recep');
    expect(env.expertPath(0).won).toBe(true);
  });

  test('errors in a file are reported with its name', () => {
    expect(() => findGames(join(folder, 'absent'))).toThrow(/absent: no such file or folder\n {2}give a game.tw-pddl/);
    expect(() => readProblem(write('{}', 'empty.tw-pddl'))).toThrow(/empty.tw-pddl: the key 'pddl_problem' is missing/);
    const cut = JSON.stringify({ pddl_problem: kitchen.slice(0, -3) });
    expect(() => readProblem(write(cut, 'cut.tw-pddl'))).toThrow(/cut.tw-pddl: line 21: \d '\(' without their '\)'/);
  });
});
