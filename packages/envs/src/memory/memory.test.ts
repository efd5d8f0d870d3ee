import type { Trajectory } from '@bowyer/core';
import { episodeOfRecord, episodeOfTrajectory, type MemoryEpisode } from './memory-episode.js';
import { bm25Index, vectorIndex } from './memory-index.js';
import { Memory, type MemorySettings } from './memory.js';

const settings = { unit: 'episode', topK: 2, maxChars: 1000, capacity: 10, makeIndex: bm25Index } as const;
const memoryOf = (changed: Partial<MemorySettings>, ...episodes: MemoryEpisode[]) => {
  const memory = new Memory({ ...settings, ...changed });
  memory.add(episodes);
  return memory;
};
const episode = (number: number, observation: string, action: string, more: Partial<MemoryEpisode> = {}) => ({
  id: `demonstration ${number}`,
  item: `item ${number}`,
  return: 1,
  turns: [{ observation, action }],
  ...more,
});
const lamp = episode(0, 'A brass lamp lies here.', 'take lamp');
const key = episode(1, 'A shed key lies here.', 'take key');
const otherKey = episode(2, 'A garage key lies here, and a rusty shed.', 'take garage key');

test('the most alike are given as examples, best first, never one of the same item or the episode itself', async () => {
  const memory = memoryOf({}, lamp, key, otherKey);
  expect(await memory.retrieve({ observation: 'You see a shed key.' })).toEqual({
    ids: ['demonstration 1', 'demonstration 2'],
    text: 'Example:\nA shed key lies here.\ntake key\nExample:\nA garage key lies here, and a rusty shed.\ntake garage key\nNow:\n',
  });
  const ids = async (query: object) => (await memory.retrieve({ observation: 'A shed key.', ...query })).ids;
  expect(await ids({ item: 'item 1' })).toEqual(['demonstration 2']);
  expect(await ids({ except: 'demonstration 2' })).toEqual(['demonstration 1']);
  expect(await ids({ observation: 'nothing of it' })).toEqual([]);
});

test('an example that does not fit is left out, and the next may fit', async () => {
  const memory = memoryOf({ maxChars: 45 }, key, otherKey, episode(3, 'A shed key.', 'go'));
  const { ids } = await memory.retrieve({ observation: 'garage key, shed key, garage' });
  expect(ids).not.toContain('demonstration 2');
  expect(ids).toHaveLength(1);
});

test('single turns are found by their observation, and by the task where tasks differ', async () => {
  const turns = [
    { observation: 'You are in the hall.', action: 'go north' },
    { observation: 'You hold it.', action: 'open door' },
  ];
  const others = turns.map((turn) => ({ ...turn, action: `${turn.action} now` }));
  const memory = memoryOf(
    { unit: 'transition', topK: 1 },
    episode(0, '', '', { task: 'find the coin', turns }),
    episode(1, '', '', { task: 'bake bread', turns: others }),
  );
  const found = async (task: string) => (await memory.retrieve({ observation: 'You hold it.', task })).ids;
  expect(await found('find the coin')).toEqual(['demonstration 0, turn 1']);
  expect(await found('bake bread')).toEqual(['demonstration 1, turn 1']);
});

test('an item has one episode, the one with the larger return, then the shorter one; if there is no room, the oldest is removed', () => {
  const memory = memoryOf({ capacity: 2 }, lamp, key);
  memory.add([episode(7, 'worse', 'a', { item: 'item 0', return: 0.5 })]);
  expect(memory.toText()).toContain('brass');
  memory.add([episode(8, 'better', 'a', { item: 'item 0', return: 2 }), otherKey]);
  expect(
    memory
      .toText()
      .split('\n')
      .map((line) => /"id":"([^"]*)/.exec(line)?.[1]),
  ).toEqual(['demonstration 8', 'demonstration 2', undefined]);
  const copy = new Memory(settings);
  copy.restore(memory.toText());
  expect(copy.toText()).toBe(memory.toText());
});

test('similarity is that of vectors if an encoder is given, else that of words', async () => {
  const embed = (texts: readonly string[]) =>
    Promise.resolve(texts.map((text) => (text.includes('lamp') ? Float32Array.of(1, 0) : Float32Array.of(0, 1))));
  const memory = memoryOf({ makeIndex: vectorIndex(embed), topK: 1 }, lamp, key);
  expect((await memory.retrieve({ observation: 'Which lamp?' })).ids).toEqual(['demonstration 0']);
});

test('the memory has successes only, without slips, with the environment’s own observations', () => {
  const step = { observation: 'done', reward: 0, terminated: true, truncated: false, info: { won: true } };
  const record = {
    reset: { observation: 'start', info: { item: 'goal 3', task_description: 'win' } },
    steps: [
      { ...step, action: 'oops', slip: true },
      { ...step, action: 'go' },
    ],
  };
  const kept = { item: 'goal 3', task: 'win', return: 0, turns: [{ observation: 'done', action: 'go' }] };
  expect(episodeOfRecord(record, 4, null)).toEqual({ id: 'demonstration 4', ...kept });
  expect(episodeOfRecord(record, 4, 0.1)).toBeNull();
  const transition = {
    observation: 'Example: x\nstart',
    state: 'start',
    action: 'go',
    reward: 1,
    nextObservation: '',
    terminated: true,
    truncated: false,
  };
  const trajectory = { episode: 9, seed: 1, transitions: [transition], infos: [{}], segments: [] } as Trajectory;
  expect(episodeOfTrajectory(trajectory, null)).toEqual({
    id: 'rollout 9',
    return: 1,
    turns: [{ observation: 'start', action: 'go' }],
  });
  expect(episodeOfTrajectory({ ...trajectory, infos: [{ won: false }] }, null)).toBeNull();
});
