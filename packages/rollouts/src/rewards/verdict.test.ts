import { verdictOf, verdictOfLine } from './verdict.js';

test.each([
  ['{"reward": 1}', { reward: 1 }],
  [
    '{"reward": true, "components": {"format": 0.5}, "metrics": {"steps": 3}, "note": "x"}',
    { reward: 1, components: { format: 0.5 }, metrics: { steps: 3 } },
  ],
  ['0.5', { reward: 0.5 }],
  ['{"metrics": {"steps": 3}}', { metrics: { steps: 3 } }],
  ['done.', {}],
  ['', {}],
  ['["a"]', {}],
  ['null', {}],
])('%s', (line, verdict) => expect(verdictOfLine(line, 'it')).toEqual(verdict));

test('figures that are not numbers are refused by name', () => {
  expect(() => verdictOfLine('{"reward": "high"}', 'it')).toThrow('it: reward is "high"; it must be a finite number');
  expect(() => verdictOf(NaN, 'what run has returned')).toThrow(
    'what run has returned: reward is NaN; it must be a finite number',
  );
  expect(() => verdictOfLine('{"metrics": {"a": null}}', 'it')).toThrow(
    'it: metrics.a is null; it must be a finite number',
  );
  expect(() => verdictOfLine('{"components": 3}', 'it')).toThrow(
    'it: components is 3; it must be an object of numbers',
  );
});
