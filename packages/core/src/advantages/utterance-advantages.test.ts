import { utteranceAdvantages } from './utterance-advantages.js';

test('the advantage takes the smaller head on both sides', () => {
  const heads = {
    q1: Float32Array.of(-3),
    q2: Float32Array.of(-2),
    v1: Float32Array.of(-2.5),
    v2: Float32Array.of(-2.8),
  };
  expect(utteranceAdvantages(heads)[0]).toBeCloseTo(-3 + 2.8);
});
