import type { Trajectory } from './trajectory.js';
import { fromRecord, toRecord } from './trajectory-record.js';

const turn = { reward: -1, terminated: false, truncated: false };
const trajectory: Trajectory = {
  episode: 3,
  seed: 77,
  transitions: [
    { ...turn, observation: 'Questions:\n', action: 'is it big?', nextObservation: 'Questions:\nis it big? No.\n' },
    { ...turn, observation: 'Questions:\nis it big? No.\n', action: 'go', nextObservation: 'A new room.' },
  ],
  infos: [{ won: false }, { won: false }],
  segments: [
    {
      ids: [5, 6, 7, 8],
      utterances: [{ turn: 0, start: 1, ids: [6, 7, 4], terminated: true, logprobs: [-0.1, -0.2, -0.3] }],
    },
  ],
};

test('a trajectory comes back from its line of JSON as it was', () => {
  const line = JSON.stringify(toRecord(trajectory, 0));
  expect(fromRecord(JSON.parse(line))).toEqual(trajectory);
});

test('utterances of version 0.2 are read: the terminator apart from the other tokens, and lists of the allowed ones', () => {
  const record = toRecord(trajectory, 0);
  const former = { turn: 0, start: 1, ids: [6, 7], terminatorId: 4, logprobs: [-0.1, -0.2, -0.3] };
  const cut = { turn: 1, start: 3, ids: [8], terminatorId: null, logprobs: [-0.4], allowedIds: [[8, 33]] };
  const line = JSON.stringify({ ...record, segments: [{ ...record.segments[0], utterances: [former, cut] }] });
  expect(fromRecord(JSON.parse(line)).segments[0].utterances).toEqual([
    trajectory.segments[0].utterances[0],
    { turn: 1, start: 3, ids: [8], terminated: false, logprobs: [-0.4], tokenMasks: [Uint32Array.of(1 << 8, 2)] },
  ]);
});

test('masks of tokens come back too, each of them stored once', () => {
  const text = new Uint32Array(4_700).fill(-1); // 150,000 tokens
  const bracket = Uint32Array.of(0, 1 << 31, 5);
  const copy = structuredClone(trajectory);
  copy.segments[0].utterances[0].tokenMasks = [text, null, bracket];
  const twice = structuredClone(copy);
  twice.segments[0].utterances[0].tokenMasks = [text, text.slice(), bracket];
  for (const masked of [copy, twice]) {
    const line = JSON.stringify(toRecord(masked, 0));
    expect(line.length).toBeLessThan(700);
    expect(fromRecord(JSON.parse(line))).toEqual(masked);
  }
  const [first, second] = fromRecord(toRecord(twice, 0)).segments[0].utterances[0].tokenMasks!;
  expect(first).toBe(second);
});

test('a history that grows is stored once', () => {
  const { turns } = toRecord(trajectory, 0);
  expect(turns[0]).toMatchObject({ reply: ' No.\n' });
  expect(turns[0]).not.toHaveProperty('next_observation');
  expect(turns[1]).toMatchObject({ next_observation: 'A new room.' });
});
