import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { demonstrationSetOf, type EpisodeRecord, type Trajectory } from '@bowyer/core';
import type { MemoryOptions } from '@bowyer/envs';
import { openDevice, type Device } from '@bowyer/graph';
import { wordLevelTokenizer } from '@bowyer/text';
import { memoryKeyProblems } from './memory-keys.js';
import { AgentMemory, openMemoryOf } from './agent-memory.js';
import { splitPlanOf } from '../environment/environment.js';

let folder: string;
let device: Device;
beforeAll(async () => {
  folder = newFolder();
  device = await openDevice({ device: 'cpu', threads: 1 });
});
afterAll(async () => {
  await device.close();
});

const config = { env: { name: 'textcraft', observation: 'turn' } };
const bm25: MemoryOptions = {
  kind: 'bm25',
  unit: 'episode',
  topK: 1,
  maxChars: 500,
  demonstrations: true,
  grow: true,
  capacity: 50,
  minReturn: null,
};
const open = async (memory: MemoryOptions = bm25) => (await AgentMemory.open({ memory }, device))!;

const MARKER = 'planted';
const step = {
  action: 'craft it',
  observation: 'Crafted it.',
  reward: 1,
  terminated: true,
  truncated: false,
  info: {},
};
const recordOf = (item: string | undefined, text: string): EpisodeRecord => ({
  reset: { observation: text, info: item === undefined ? {} : { item } },
  steps: [step],
});
const itemOf = (split: 'train' | 'eval' | 'test', seed: number) =>
  String(splitPlanOf(config).choose({ split, seed, episode: seed }).item);

test('a demonstration of a held-out item, or without an item, is never added to the memory', async () => {
  const held = (['eval', 'test'] as const).flatMap((split) => [0, 1, 2].map((seed) => itemOf(split, seed)));
  const records = [...held, undefined].map((item) => recordOf(item, MARKER));
  records.push(recordOf(itemOf('train', 4), 'Goal: craft stick.'));
  const agent = await open();
  const line = agent.addDemonstrations(config, demonstrationSetOf(records));
  expect(line).toBe(
    'memory: 1 of 8 demonstrations; 1 that do not name their item are left out; 6 of held-out items are left out',
  );
  expect(agent.memory.toText()).not.toContain(MARKER);
  expect(() => agent.addDemonstrations(config, demonstrationSetOf([recordOf(undefined, MARKER)]))).toThrow(
    'memory.demonstrations=false memory.grow=true',
  );
});

test('rollouts are added to the memory if memory.grow is set; the memory of a saved agent is the same to the byte', async () => {
  const transition = {
    observation: 'Goal: craft stick.',
    action: 'craft it',
    reward: 1,
    nextObservation: '',
    terminated: true,
    truncated: false,
  };
  const episode = {
    episode: 3,
    seed: 1,
    item: 'stick',
    transitions: [transition],
    infos: [{}],
    segments: [],
  } as Trajectory;
  const still = await open({ ...bm25, grow: false });
  still.addRollout([episode]);
  expect(still.memory.size).toBe(0);
  const agent = await open();
  agent.addRollout([episode]);
  await agent.save(folder);
  const saved = await openMemoryOf(join(folder, 'policy'), { memory: bm25 }, device); // next to a checkpoint's policy
  expect(saved!.memory.toText()).toBe(agent.memory.toText());
  await expect(openMemoryOf(join(folder, 'a', 'b'), { memory: bm25 }, device)).rejects.toThrow('has no memory');
});

test('an encoder finds the text itself first', async () => {
  const dir = join(folder, 'bert');
  const fixture = new URL('../../../../models/test/encoder-fixtures/bert/', import.meta.url).pathname;
  for (const file of ['config.json', 'model.safetensors']) await cp(join(fixture, file), join(dir, file));
  const words = [
    'is it a an the big small alive animal plant food made of can you eat hold does have in use house for ?',
  ];
  await wordLevelTokenizer(words, { wholeTokens: [' Yes.\n', ' No.\n'] }).save(dir);
  const agent = await open({ ...bm25, kind: 'encoder', encoder: dir });
  const texts = ['is it alive ?', 'can you eat it ?', 'does the house have a plant ?'];
  agent.addDemonstrations(config, demonstrationSetOf(texts.map((text, i) => recordOf(itemOf('train', i), text))));
  for (const [i, observation] of texts.entries())
    expect((await agent.memory.retrieve({ observation })).ids).toEqual([`demonstration ${i}`]);
  await agent.release();
});

test.each<[string, object]>([
  [
    'memory.unit=transition: an observation of textcraft',
    { memory: { ...bm25, unit: 'transition' }, env: { name: 'textcraft', observation: 'history' } },
  ],
  ['memory.encoder=null: a folder with an encoder', { memory: { ...bm25, kind: 'encoder', encoder: null } }],
  ['the memory would stay empty', { memory: { ...bm25, demonstrations: false, grow: false } }],
  ['memory.grow=true: with rollout.mode=lock_step', { rollout: { mode: 'lock_step' } }],
  ['the train split has only one of the goals', { env: { ...config.env, goal: 'stick' } }],
  ['the agent in /nowhere has no memory to begin with', { policy: { checkpoint: null, model: '/nowhere' } }],
])('refused: %s', (text, given) => {
  const policy = { checkpoint: null, model: null };
  const all = { task: { name: 'train' }, context: { kind: 'auto' }, ...config, memory: bm25, policy, ...given };
  expect(memoryKeyProblems(all).map(({ message }) => message)).toEqual([expect.stringContaining(text)]);
});
