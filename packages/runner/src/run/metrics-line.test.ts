import { metricsLine } from './metrics-line.js';

test('a line is the JSON of the figures, with ArCHer’s names after ours', () => {
  const metrics = { 'rollout/episodic_return': -0, 'a "b"': 1e-300, 'losses/q1': 1e21, small: 0.1 + 0.2 };
  const expected = { iteration: 3, ...metrics, 'rollout.mean': -0, 'q1.loss': 1e21 };
  expect(metricsLine(3, metrics)).toBe(`${JSON.stringify(expected)}\n`);
});
