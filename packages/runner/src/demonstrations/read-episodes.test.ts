import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEpisodes } from './read-episodes.js';

const folder = mkdtempSync(join(tmpdir(), 'episodes-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (...lines: object[]) => {
  const path = join(folder, 'episodes.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
};

test('the trajectories of a run: texts, rewards and ends; an observation that does not continue the text begins again', async () => {
  const open = { terminated: false, truncated: false };
  const turns = [
    { action: 'a', reply: ' No.\n', reward: -1, ...open },
    { action: ' b', reply: null, next_observation: 'Room:\nb No.\n', reward: -1, ...open },
    { action: 'c', reply: ' Yes.\n', reward: 2, terminated: true, truncated: false },
  ];
  const [episode] = await readEpisodes(file({ opening: 'Room:\n', turns, segments: [] }));
  expect(episode).toEqual({
    episodicReturn: 0,
    episode: {
      opening: 'Room:\n',
      turns: [
        { action: 'a', reply: ' No.\n', reward: -1, ...open },
        { action: ' b', reply: '', nextObservation: 'Room:\nb No.\n', reward: -1, ...open },
        { action: 'c', reply: '', reward: 2, terminated: true, truncated: false },
      ],
    },
  });
});

test('records of texts and trajectories may stand in one file; a line that is neither is named', async () => {
  const record = {
    reset: { observation: 'Room:\n' },
    steps: [{ action: 'a', observation: 'Room:\na No.\n', reward: 1 }],
  };
  const trajectory = { opening: 'Room:\n', turns: [{ action: 'a', reward: 3 }] };
  const episodes = await readEpisodes(file(record, trajectory));
  expect(episodes.map(({ episodicReturn }) => episodicReturn)).toEqual([1, 3]);
  await expect(readEpisodes(file(record, { opening: 'Room:\n', turns: [] }))).rejects.toThrow(/episodes\.jsonl:2: /);
  await expect(readEpisodes(file())).rejects.toThrow('episodes.jsonl contains no episode');
});

test('an infinite reward, which JSON may contain as 1e999, is refused with its place', async () => {
  const path = file({ opening: 'Room:\n', turns: [{ action: 'a', reward: 3 }] });
  writeFileSync(path, '{"opening": "Room:", "turns": [{"action": "a", "reward": -1e999}]}\n');
  await expect(readEpisodes(path)).rejects.toThrow(":1: 'turns.0.reward' must be a finite number");
});
