import { demonstrationOf, recordedReturn, type EpisodeRecord } from './episode-record.js';

const episode = (
  opening: string,
  ...steps: [action: string, observation: string, reward: number][]
): EpisodeRecord => ({
  reset: { observation: opening, info: {} },
  steps: steps.map(([action, observation, reward], i) => {
    const terminated = i === steps.length - 1;
    return { action, observation, reward, terminated, truncated: false, info: {} };
  }),
});

const running = { terminated: false, truncated: false };
const ended = { terminated: true, truncated: false };

test('observations that continue the text are one demonstration, with its rewards', () => {
  const history = episode('Q:\n', ['a?', 'Q:\na? No.\n', -1], ['b?', 'Q:\na? No.\nb? Yes.\n', 0]);
  expect(demonstrationOf(history)).toEqual({
    opening: 'Q:\n',
    turns: [
      { action: 'a?', reply: ' No.\n', reward: -1, ...running },
      { action: 'b?', reply: '', reward: 0, ...ended }, // no player reads what follows the last action
    ],
  });
  expect(recordedReturn(history)).toBe(-1);
});

test('a demonstration is won where the last step says so', () => {
  const rooms = episode('kitchen', ['north', 'corridor', 0], ['take coin', 'taken', 1]);
  const [first, last] = rooms.steps;
  const won = { ...rooms, steps: [first, { ...last, info: { won: true } }] };
  expect([rooms, won].map((record) => demonstrationOf(record).won)).toEqual([undefined, true]);
});

test('observations that stand alone are contexts of one demonstration', () => {
  const rooms = episode('kitchen', ['north', 'corridor', 0], ['take coin', 'taken', 1]);
  expect(demonstrationOf(rooms)).toEqual({
    opening: 'kitchen',
    turns: [
      { action: 'north', reply: '', nextObservation: 'corridor', reward: 0, ...running },
      { action: 'take coin', reply: '', reward: 1, ...ended },
    ],
  });
});
