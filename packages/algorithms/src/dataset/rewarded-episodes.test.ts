import { episodicReturn, type Trajectory } from '@bowyer/core';
import { rewardedEpisodes } from './rewarded-episodes.js';

const part = (episode: number, observation: string, end: boolean, reward = 1): Trajectory => ({
  episode,
  seed: 0,
  infos: [{}],
  transitions: [
    { observation, action: 'go', reward, nextObservation: `${observation}go`, terminated: end, truncated: false },
  ],
  segments: [{ ids: [1, 2], utterances: [{ turn: 0, start: 1, ids: [2], terminated: false, logprobs: [] }] }],
});

test('the parts of an episode are one episode again: the next observation is what the next part begins with', () => {
  const parts = [part(0, 'hall', false), part(0, 'tower', true), part(1, 'hall', false), part(2, 'hall', true)];
  const episodes = rewardedEpisodes({ kind: 'episodes', episodes: parts }, 'a test');
  expect(episodes.map(({ transitions }) => transitions.map(({ nextObservation }) => nextObservation))).toEqual([
    ['tower', 'towergo'],
    ['hallgo'],
    ['hallgo'],
  ]);
  expect(episodes.map(episodicReturn)).toEqual([2, 1, 1]);
  expect(episodes[0].segments.map(({ utterances }) => utterances[0].turn)).toEqual([0, 1]);
  expect(parts[0].transitions[0].nextObservation).toBe('hallgo'); // the dataset itself has not changed
});

test('a dataset without rewards is refused', () => {
  expect(() => rewardedEpisodes({ kind: 'episodes', episodes: [part(0, 'hall', true, NaN)] }, 'iql learns')).toThrow(
    'iql learns, but this dataset has episodes without rewards: give episodes with a reward per turn, or use bc',
  );
});
