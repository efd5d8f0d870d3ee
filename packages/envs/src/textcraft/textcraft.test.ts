import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Rng } from '@bowyer/core';
import { recordings, whenRecorded } from '@bowyer/testing';
import { recordedCalls, recordedEpisodes } from '../../test/recorded-traffic.js';
import { oneActionOnly } from '../agentgym/reply-rules.js';
import { defaultsOf } from '../option.js';
import { makeEnv } from '../registry.js';
import { textCraftDemonstrations } from './demonstrations.js';
import { textCraftSchema, type TextCraftOptions } from './options.js';
import { craftingPlan } from './plan.js';
import { TextCraft } from './textcraft.js';

const defaults = defaultsOf(textCraftSchema);
const textCraft = (options: Partial<TextCraftOptions> = {}) => new TextCraft({ ...defaults, ...options });
const asRecorded: Partial<TextCraftOptions> = { observation: 'turn', stepLimit: 1000 };

const episodes = recordedEpisodes(recordedCalls('textcraft'), '');
const data = recordings('textcraft');
const ifRecorded = whenRecorded('transcripts/textcraft.jsonl', 'transcripts/controller_rollouts.jsonl').test;
const ifData = whenRecorded('textcraft').test;

/** The first six calls of the rollouts belong to another environment: textcraft's resets have a data_idx. */
const ownEpisodes = episodes.filter(([{ request, response }]) => {
  const { observation } = response.json as { observation: string };
  return request.json?.data_idx !== undefined && observation.startsWith('Crafting commands');
});

ifRecorded('lists, says, pays and ends as the recorded server did', async () => {
  expect(ownEpisodes.length).toBeGreaterThan(4);
  const env = textCraft(asRecorded);
  for (const [reset, ...steps] of ownEpisodes) {
    const start = await env.reset({ dataIdx: reset.request.json!.data_idx as number });
    expect(start.observation).toBe((reset.response.json as { observation: string }).observation);
    for (const { request, response } of steps) {
      const { observation, reward, terminated } = await env.step(request.json!.action as string);
      expect({ observation, reward, done: terminated }).toEqual(response.json);
    }
  }
});

ifRecorded('a server with id 5 begins with goal 5', async () => {
  const created = recordedCalls('textcraft').find(
    ({ request, response }) => request.path === '/create' && response.status === 200,
  )!;
  const { id, observation } = created.response.json as { id: number; observation: string };
  expect((await textCraft(asRecorded).reset({ dataIdx: id })).observation).toBe(observation);
});

ifData('recipe files in the recorded order give the recorded goals, and the built-in recipes are those', () => {
  const { recorded_order: goals } = JSON.parse(readFileSync(join(data, 'goals.json'), 'utf8')) as {
    recorded_order: [string, number][];
  };
  const expected = goals.map(([id, depth]) => [id.replace('minecraft:', ''), depth]);
  const read = textCraft({ recipes: join(data, 'recipes.jsonl'), recipeOrder: join(data, 'load_order_recorded.txt') });
  expect(read.tree.goals()).toEqual(expected);
  expect(textCraft().tree.goals()).toEqual(expected);
});

test('544 goals: 125 of depth 1, 291 of 2, 117 of 3, 11 of 4', () => {
  const goals = textCraft().tree.goals();
  expect([1, 2, 3, 4].map((depth) => goals.filter(([, own]) => own === depth).length)).toEqual([125, 291, 117, 11]);
});

test('the plan for every goal crafts it', async () => {
  const env = textCraft({ stepLimit: 1000 });
  const lengths: number[] = [];
  for (const [index, [goal]] of env.tree.goals().entries()) {
    await env.reset({ dataIdx: index });
    const results = [];
    const plan = craftingPlan(env.tree, goal);
    for (const { action } of plan) results.push(await env.step(action));
    expect(results.at(-1)).toMatchObject({ terminated: true, reward: 1 });
    expect(results.filter(({ terminated }) => terminated)).toHaveLength(1);
    lengths.push(plan.length);
  }
  // A few goals, such as beds and shields of coloured things, take more actions than the limit has.
  expect(lengths.filter((length) => length > 30).length).toBeLessThan(10);
});

test('a top-down plan tries every craft before its ingredients are made, and crafts the goal too', async () => {
  const env = textCraft({ stepLimit: 1000 });
  for (let index = 0; index < env.tree.goals().length; index += 10) {
    await env.reset({ dataIdx: index });
    const results = [];
    const plan = craftingPlan(env.tree, env.tree.goals()[index][0], 'top_down');
    for (const { action } of plan) results.push(await env.step(action));
    expect(results.at(-1)).toMatchObject({ terminated: true, reward: 1 });
    expect(plan[0].action).toBe(plan.at(-1)!.action);
  }
});

test('a plan craft by craft wins with actions that are listed as valid', async () => {
  const env = textCraft({ stepLimit: 1000 });
  for (let index = 0; index < env.tree.goals().length; index++) {
    let { info } = await env.reset({ dataIdx: index });
    for (const { action } of craftingPlan(env.tree, env.tree.goals()[index][0], 'craft_by_craft')) {
      expect(info.validActions).toContain(action);
      ({ info } = await env.step(action));
    }
    expect(info.won).toBe(true);
  }
});

test('the expert crafts the goal from wherever random valid actions have led, without fetching again what is there', async () => {
  const env = textCraft({ stepLimit: 1000 });
  const rng = new Rng(0);
  for (let index = 0; index < env.tree.goals().length; index += 5) {
    let { info } = await env.reset({ dataIdx: index });
    for (let i = 0; i < 5 && info.won !== true; i++)
      ({ info } = await env.step(rng.choice(info.validActions as string[])));
    let expected = Infinity;
    while (info.won !== true) {
      const left = craftingPlan(env.tree, env.tree.goals()[index][0], 'craft_by_craft', env.inventory).length;
      expect(left).toBeLessThan(expected);
      expected = left;
      ({ info } = await env.step(env.expertReply()));
    }
  }
});

test('info has the inventory as recipes write it', async () => {
  const env = textCraft(asRecorded);
  const held = [(await env.reset({ dataIdx: 0 })).info.inventory];
  for (const action of ['get 1 oak log', 'get 2 bamboo', 'craft 1 stick using 2 bamboo'])
    held.push((await env.step(action)).info.inventory);
  expect(held).toEqual(['nothing', '1 oak log', '1 oak log, 2 bamboo', '1 oak log, 1 stick']);
});

test('impossible actions are refused with a reason', async () => {
  const env = textCraft(asRecorded);
  await env.reset({ dataIdx: 0 });
  const said = async (action: string) => (await env.step(action)).observation;
  expect(await said('craft stick using bamboo')).toBe('Wrong item format: bamboo');
  expect(await said('craft 4 planks using 1 oak log')).toBe('Could not find enough items to craft None');
  expect(await said('get 1 oak log')).toBe('Got 1 oak log');
  expect(await said('craft 4 planks using 1 oak log')).toBe(
    "Could not find a valid recipe for ItemTagWithCount(item_tag=ItemTag(tag='minecraft:planks', item_id=None), count=4)",
  );
  expect(await said('Get 1 stick')).toBe('Could not execute Get 1 stick');
});

test('the step limit truncates', async () => {
  const env = textCraft({ stepLimit: 2 });
  await env.reset({ seed: 1 });
  expect(await env.step('inventory')).toMatchObject({ terminated: false, truncated: false });
  expect(await env.step('inventory')).toMatchObject({ terminated: false, truncated: true, reward: 0 });
});

test('only goals of the asked depth are drawn', async () => {
  const env = textCraft({ depth: 4 });
  for (let seed = 0; seed < 20; seed++) expect((await env.reset({ seed })).info.depth).toBe(4);
  expect(() => textCraft({ depth: 9 })).toThrow('textcraft: no goal has depth 9');
});

test('a noisy expert still crafts most goals of depth 1', async () => {
  const played = await textCraftDemonstrations({ ...defaults, depth: 1 }, { episodes: 100, noise: 0.3, seed: 0 });
  expect(played.filter((transitions) => transitions.at(-1)!.reward === 1).length).toBeGreaterThan(80);
});

/** Returns a thought's recipes as they are listed, the counts that it states, and what is to be fetched, if anything. */
function partsOf(thought: string) {
  const parts = thought.split('; ');
  const crafts = parts.filter((part) => part.includes(' using ')).map((part) => part.split(' have '));
  const held = crafts.flatMap(([, have]) => have?.split(', ') ?? []);
  return { recipes: crafts.map(([recipe]) => recipe), held, fetched: parts.find((part) => !part.includes(' using ')) };
}

test('thoughts say what is being made, as the list has it, what is there of it, and what is fetched; they win', async () => {
  const options = { ...defaults, observation: 'turn', actionFormat: 'react', stepLimit: 100 } as const;
  const played = await textCraftDemonstrations(options, { episodes: 10, noise: 0, seed: 0, order: 'craft_by_craft' });
  const env = makeEnv('textcraft', options);
  for (const transitions of played) {
    const { goal } = transitions[0].info as { goal: string };
    const game = textCraft({ stepLimit: 100 });
    const dataIdx = game.tree.goals().findIndex(([name]) => name === goal);
    await game.reset({ dataIdx });
    await env.reset({ dataIdx } as object);
    let last;
    for (const { action: reply } of transitions) {
      const [, thought, action] = /^Thought: (.+) Action: (.*)/.exec(reply)!;
      const { recipes, held, fetched } = partsOf(thought);
      expect(recipes[0]).toMatch(new RegExp(`^${goal.replaceAll('_', ' ')} using `));
      for (const recipe of recipes) expect(transitions[0].observation).toMatch(new RegExp(`craft \\d+ ${recipe}\n`));
      for (const there of held) {
        const [, count, name] = /^(\d+) (.*)/.exec(there)!;
        expect(game.inventory.get(name.replaceAll(' ', '_'))).toBeGreaterThanOrEqual(Number(count));
      }
      if (action.startsWith('get')) expect(action).toBe(`get ${/\d+/.exec(action)![0]} ${fetched}`);
      else expect(action.split(' using ')[1]).toBe(thought.split(' have ').at(-1));
      await game.step(action);
      last = await env.step(reply);
    }
    expect(last).toMatchObject({ terminated: true, reward: 1 });
  }
});

test('mistakes are thought of and said again; the expert then reads the list, and counts what was fetched', async () => {
  const options = { ...defaults, observation: 'turn', actionFormat: 'react', depth: 2 } as const;
  const asked = { episodes: 40, seed: 0, noise: 0.1, slips: 0.5, strays: 0.2, order: 'craft_by_craft' } as const;
  const played = await textCraftDemonstrations(options, asked);
  const game = textCraft({ stepLimit: 1000 });
  let unlisted = 0;
  let repeated = 0;
  for (const episode of played) {
    const { goal } = episode[0].info as { goal: string };
    await game.reset({ dataIdx: game.tree.goals().findIndex(([name]) => name === goal) });
    for (const [turn, { action: reply, slip }] of episode.entries()) {
      const [, thought, action] = /^Thought: (.+) Action: (.+)/.exec(reply)!;
      expect(thought).toMatch(new RegExp(`^${goal.replaceAll('_', ' ')} using `));
      const { recipes, held } = partsOf(thought);
      const isListed = recipes.every((recipe) => episode[0].observation.includes(` ${recipe}\n`));
      if (slip) {
        unlisted += Number(!isListed);
        repeated += Number(episode[turn - 1]?.action === reply);
      } else {
        expect(isListed).toBe(true);
        for (const there of held) {
          const [, count, name] = /^(\d+) (.*)/.exec(there)!;
          expect(game.inventory.get(name.replaceAll(' ', '_'))).toBeGreaterThanOrEqual(Number(count));
        }
      }
      await game.step(action);
    }
  }
  expect(unlisted).toBeGreaterThan(5);
  expect(repeated).toBeGreaterThan(5);
});

test('a reply with two actions is refused, and costs a turn', async () => {
  const env = makeEnv('textcraft', { observation: 'turn', actionFormat: 'react', stepLimit: 2 });
  await env.reset({ seed: 0 });
  const refused = await env.step('Thought: both\nAction: inventory\nAction: inventory');
  expect(refused).toMatchObject({ observation: oneActionOnly, truncated: false });
  expect(await env.step('Thought: none')).toMatchObject({ observation: 'Could not execute ', truncated: true });
});

test('made-up games: words are exchanged alike everywhere, so that all items can be read in the list or in answers', async () => {
  const asked = { episodes: 20, noise: 0, seed: 0 };
  const turn = { ...defaults, observation: 'turn' } as const;
  const [played, madeUp] = await Promise.all(
    [0, 1].map((renamed) => textCraftDemonstrations(turn, { ...asked, renamed })),
  );
  const itemsOf = (text: string) => [...text.matchAll(/\d+ ([a-z ]+?)(?= using|,|$)/gm)].map(([, item]) => item);
  for (const [game, transitions] of madeUp.entries()) {
    let read = transitions[0].observation;
    expect(read).not.toBe(played[game][0].observation);
    expect(itemsOf(read)).toHaveLength(itemsOf(played[game][0].observation).length);
    for (const { action, nextObservation } of transitions) {
      for (const item of itemsOf(action)) expect(read).toContain(item);
      read += nextObservation;
    }
    expect(transitions.map(({ reward }) => reward)).toEqual(played[game].map(({ reward }) => reward));
  }
});
