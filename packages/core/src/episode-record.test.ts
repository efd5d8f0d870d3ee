import { demonstrationsOf, recordedReturn, type EpisodeRecord } from './episode-record.js';

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

test('observations that go on from what was said are one demonstration', () => {
  const history = episode('Q:\n', ['a?', 'Q:\na? No.\n', -1], ['b?', 'Q:\na? No.\nb? Yes.\n', 0]);
  expect(demonstrationsOf(history)).toEqual([
    {
      opening: 'Q:\n',
      turns: [
        { action: 'a?', reply: ' No.\n' },
        { action: 'b?', reply: '' }, // what follows the last action is never read by a player
      ],
    },
  ]);
  expect(recordedReturn(history)).toBe(-1);
});

test('observations that stand alone are a demonstration each', () => {
  const rooms = episode('kitchen', ['north', 'corridor', 0], ['take coin', 'taken', 1]);
  expect(demonstrationsOf(rooms)).toEqual([
    { opening: 'kitchen', turns: [{ action: 'north', reply: '' }] },
    { opening: 'corridor', turns: [{ action: 'take coin', reply: '' }] },
  ]);
});
