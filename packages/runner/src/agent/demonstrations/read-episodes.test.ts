import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@bowyer/testing';
import { readEpisodes } from './read-episodes.js';

const folder = newFolder();

const file = (...lines: object[]) => {
  const path = join(folder, 'episodes.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
};

const episodesOf = async (path: string) => (await readEpisodes(path)).episodes;

test('the trajectories of a run have texts, rewards and ends; an observation that does not continue the text begins a new one', async () => {
  const open = { terminated: false, truncated: false };
  const turns = [
    { action: 'a', reply: ' No.\n', reward: -1, ...open },
    { action: ' b', reply: null, next_observation: 'Room:\nb No.\n', reward: -1, ...open },
    { action: 'c', reply: ' Yes.\n', reward: 2, terminated: true, truncated: false },
  ];
  const [episode] = await episodesOf(file({ opening: 'Room:\n', turns, segments: [] }));
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

test('one file may have records of texts and trajectories; a line that is neither is reported', async () => {
  const record = {
    reset: { observation: 'Room:\n' },
    steps: [{ action: 'a', observation: 'Room:\na No.\n', reward: 1 }],
  };
  const trajectory = { opening: 'Room:\n', turns: [{ action: 'a', reward: 3 }] };
  const episodes = await episodesOf(file(record, trajectory));
  expect(episodes.map(({ episodicReturn }) => episodicReturn)).toEqual([1, 3]);
  await expect(readEpisodes(file(record, { opening: 'Room:\n', turns: [] }))).rejects.toThrow(/episodes\.jsonl:2: /);
  await expect(readEpisodes(file())).rejects.toThrow('episodes.jsonl contains no episode');
});

test('an infinite reward, which JSON may contain as 1e999, is refused with its file and line', async () => {
  const path = file({ opening: 'Room:\n', turns: [{ action: 'a', reward: 3 }] });
  writeFileSync(path, '{"opening": "Room:", "turns": [{"action": "a", "reward": -1e999}]}\n');
  await expect(readEpisodes(path)).rejects.toThrow(":1: 'turns.0.reward' must be a finite number");
});

const step = (more: object = {}) => ({ action: 'a', observation: 'Room:\na No.\n', reward: 1, ...more });
const recordWith = (...steps: object[]) => ({ reset: { observation: 'Room:\n' }, steps });

test('unknown keys are refused, each once with its first line; keys about the origin of an episode are ignored', async () => {
  const path = file(
    { ...recordWith(step()), id: 'x', source: 'mine' },
    { ...recordWith(step({ mask: 1 }), step({ mask: 0 })), weight: 0 },
    {
      opening: 'Room:\n',
      turns: [{ action: 'a', reward: 3, next_observatoin: 'Hall:\n' }],
      group: 2,
      policy: 'expert',
    },
    recordWith(step({ mask: 0 })),
  );
  await expect(readEpisodes(path)).rejects.toThrow(
    [
      `${path}: it has keys that nothing reads, and their contents would be lost`,
      "  'weight' of an episode: line 2",
      "  'mask' of a step: line 2 and 1 more",
      "  'next_observatoin' of a turn: line 3",
      '  expected: {"reset": {"observation": "…"}, "steps": [{"action": "…", "observation": "…", "reward": 0}]}, or the trajectories of a run; ' +
        "to do without a key, remove it: jq -c 'del(.weight)' FILE > NEW",
    ].join('\n'),
  );
  const mask = readEpisodes(file(recordWith(step({ mask: 0 }))));
  await expect(mask).rejects.toThrow("remove it: jq -c 'del(.steps[].mask)' FILE > NEW");
  expect((await readEpisodes(file({ ...recordWith(step()), id: 'x', source: 'mine' }))).notes).toEqual([
    'left unread: id, source',
  ]);
});

test.each(['weight', 'loss', 'train'])(
  '%s of an action: 0 is read and not imitated, 1 is imitated, else refused',
  async (key) => {
    const trajectory = {
      opening: 'Room:\n',
      turns: [
        { action: 'a', reward: 0, [key]: 0 },
        { action: 'b', reward: 0 },
      ],
    };
    const read = await episodesOf(
      file(recordWith(step({ [key]: 0 }), step({ [key]: 1 }), step({ slip: true })), trajectory),
    );
    const slips = read.map(({ episode }) =>
      ('steps' in episode ? episode.steps : episode.turns).map(({ slip }) => slip),
    );
    expect(slips).toEqual([
      [true, undefined, true],
      [true, undefined],
    ]);
    expect(read[0].episode).toEqual(recordWith(step({ slip: true }), step(), step({ slip: true })));
    await expect(readEpisodes(file(recordWith(step(), step({ [key]: 0.5 }))))).rejects.toThrow(
      'episodes.jsonl:1: action 2 has the weight 0.5, but an action of an episode is learned (1) or not (0)',
    );
    await expect(readEpisodes(file(recordWith(step({ [key]: 1, slip: true }))))).rejects.toThrow(
      "episodes.jsonl:1: 'slip' and the weight of action 1 say different things",
    );
  },
);
