import { bilevelGae } from './bilevel-gae.js';

const episode = {
  lengths: [2, 2],
  rewards: Float32Array.of(0.5, 1),
  values: Float32Array.of(0.2, 0.3, 0.4, 0.6),
  nextValue: 7,
  terminated: true,
};

test('turns first, then the tokens inside each, worked by hand', () => {
  const { advantages, returns } = bilevelGae(episode, { gamma: 0.95, tokenGamma: 1, lambda: 1 });
  // Advantages of the turns: 1 − 0.6 = 0.4 of the last and 0.5 + 0.95 · 0.6 − 0.3 + 0.95 · 0.4 = 1.15 of the first; their returns are
  // 1 and 1.45.
  [1.25, 1.15, 0.6, 0.4].forEach((advantage, t) => expect(advantages[t]).toBeCloseTo(advantage, 6));
  [1.45, 1.45, 1, 1].forEach((expected, t) => expect(returns[t]).toBeCloseTo(expected, 6));
});

test('a turn with reward 0 is a turn', () => {
  const { advantages } = bilevelGae(
    { ...episode, rewards: Float32Array.of(0, 1) },
    { gamma: 0.95, tokenGamma: 1, lambda: 1 },
  );
  [0.75, 0.65, 0.6, 0.4].forEach((advantage, t) => expect(advantages[t]).toBeCloseTo(advantage, 6));
});

test('a truncated episode bootstraps with the value that follows', () => {
  const cut = { ...episode, terminated: false, nextValue: 2 };
  const { advantages } = bilevelGae(cut, { gamma: 0.95, tokenGamma: 1, lambda: 0 });
  // λ = 0: the last turn's return is 1 + 0.95 · 2, and the token before its last one sees only the next value.
  expect(advantages[3]).toBeCloseTo(1 + 1.9 - 0.6, 6);
  expect(advantages[2]).toBeCloseTo(0.6 - 0.4, 6);
});

test('turns without tokens are refused', () => {
  expect(() => bilevelGae({ ...episode, lengths: [4, 0] }, { gamma: 1, tokenGamma: 1, lambda: 1 })).toThrow(
    'bilevelGae: 2 turns of 4 tokens, 2 rewards and 4 values; rewards must be [turns], values [tokens], and every turn must have a token',
  );
});
