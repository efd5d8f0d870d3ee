import { tdTargets, utteranceAdvantages } from './utterance-td.js';

test('a turn that goes on bootstraps, a terminated one does not', () => {
  const targets = tdTargets([-1, -1], [false, true], Float32Array.of(-4, -4), 0.95);
  expect([...targets]).toEqual([Math.fround(-1 + 0.95 * -4), -1]); // −4.8 and −1
});

test('the advantage takes the smaller head on both sides', () => {
  const heads = {
    q1: Float32Array.of(-3),
    q2: Float32Array.of(-2),
    v1: Float32Array.of(-2.5),
    v2: Float32Array.of(-2.8),
  };
  expect(utteranceAdvantages(heads)[0]).toBeCloseTo(-3 + 2.8);
});

test('arrays of different length are refused with their lengths', () => {
  expect(() => tdTargets([-1], [false], Float32Array.of(0, 0), 0.95)).toThrow(
    'tdTargets: rewards has 1 entries, terminated 1, nextValues 2; all must be [batch]',
  );
});
