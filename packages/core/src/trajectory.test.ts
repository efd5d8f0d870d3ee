import { episodicReturn } from './trajectory.js';

test('the episodic return is the plain sum', () => {
  expect(episodicReturn({ transitions: [{ reward: -1 }, { reward: -1 }, { reward: 0 }] })).toBe(-2);
});
