import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trajectory } from '@bowyer/core';
import { newFolder } from '@bowyer/testing';
import { agentGymLine } from './agentgym-lines.js';
import { itemsToPlay } from './items.js';
import { partsOf } from './play-parts.js';

test('parts cover every episode once for every seed and decoding, whatever the number of processes', () => {
  const parts = partsOf({ slots: 2, episodes: 11 }, [3, 5], ['sample', 'greedy']);
  const played = parts.flatMap(({ seed, decoding, firstEpisode, episodes }) =>
    Array.from({ length: episodes }, (_, i) => `${decoding}/${seed}/${firstEpisode + i}`),
  );
  expect(new Set(played).size).toBe(2 * 2 * 11);
  expect(played).toHaveLength(2 * 2 * 11);
  expect(parts.every(({ episodes }) => episodes <= 8)).toBe(true);
});

const dialogue = (item: string | undefined, info: Record<string, unknown>): Trajectory => ({
  episode: 4,
  seed: 1,
  ...(item !== undefined && { item }),
  segments: [],
  transitions: [
    { observation: 'A', action: 'b', reward: 0, nextObservation: 'AbC', terminated: false, truncated: false },
    { observation: 'AbC', action: 'd', reward: 1, nextObservation: 'new', terminated: true, truncated: false },
  ],
  infos: [{}, info],
});

test("an episode is a line of AgentGym's, with each text once", () => {
  expect(agentGymLine('textcraft', dialogue('textcraft_7', {}))).toEqual({
    conversations: [
      { from: 'human', loss: null, value: 'A' },
      { from: 'gpt', loss: true, value: 'b' },
      { from: 'human', loss: null, value: 'C' },
      { from: 'gpt', loss: true, value: 'd' },
      { from: 'human', loss: null, value: 'new' },
    ],
    item_id: 'textcraft_7',
    reward: 1,
    success: 1,
  });
});

test('the reward is what the server counts, and a success what the environment calls one', () => {
  expect(agentGymLine('sciworld', dialogue('sciworld_2', { worth: 100, won: true }))).toMatchObject({
    reward: 100,
    success: 1,
  });
  expect(agentGymLine('webshop', dialogue('12', { won: false }))).toMatchObject({ item_id: 'webshop_12', success: 0 });
});

test('a list of problems is played in its order, cut by data_len', async () => {
  const folder = newFolder();
  const itemList = join(folder, 'test.jsonl');
  writeFileSync(itemList, '{"item_id":"textcraft_9"}\n{"item_id":"textcraft_2"}\n{"item_id":"textcraft_5"}\n');
  const { listed, makeEnv } = itemsToPlay({ env: { name: 'textcraft' }, task: { itemList, dataLen: 2 } }, {});
  expect(listed).toBe(2);
  const env = makeEnv('test');
  const items = [];
  for (let episode = 0; episode < 3; episode++) items.push((await env.reset({ seed: 0, episode })).info.item);
  expect(items).toEqual(['textcraft_9', 'textcraft_2', 'textcraft_9']);
  await env.close();
});
