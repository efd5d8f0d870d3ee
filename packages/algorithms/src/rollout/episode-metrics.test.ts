import type { Trajectory } from '@bowyer/core';
import { episodeMetrics } from './episode-metrics.js';

/** Makes an episode of one turn, with named components of its reward. */
const judged = (reward: number, components?: Record<string, unknown>): Trajectory => ({
  episode: 0,
  seed: 0,
  transitions: [{ observation: 'a', action: 'b', reward, nextObservation: 'ab', terminated: true, truncated: false }],
  infos: [{ ...(components && { components }) }],
  segments: [],
});

test('figures by name are averaged over the episodes that have them; what is not a number is left out', () => {
  const episodes = [judged(1, { correct: 1, words: 7, note: 'short' }), judged(0, { correct: 0 }), judged(0)];
  expect(episodeMetrics(episodes, 'test')).toEqual({
    'test/episodic_return': 1 / 3,
    'test/episodic_return_standard_error': expect.closeTo(1 / 3) as number, // √(((2/3)² + 2(1/3)²) / 2 / 3)
    'test/episodic_return_max': 1,
    'test/episodic_return_min': 0,
    'test/episode_turns': 1,
    'test/episodes': 3,
    'test/reward_correct': 1 / 2,
    'test/reward_words': 7,
  });
});
