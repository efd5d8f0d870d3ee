import type { TokenSegment, SegmentUtterance } from '@bowyer/core';
import { packTurns } from './pack-turns.js';

/**
 * H is the history, and the others are the agent's tokens: [q] ended by 9, r, [w v] ended by the length limit, s, [u] ended by 9.
 */
const [H, q, r, w, v, s, u] = [1, 2, 3, 4, 5, 6, 7];
const mask = Uint32Array.of((1 << q) | (1 << 9));
const trajectory = episodeOf(
  [H, q, r, w, v, s, u],
  [
    { turn: 0, start: 1, ids: [q, 9], terminated: true, logprobs: [], tokenMasks: [mask, mask] },
    { turn: 1, start: 3, ids: [w, v], terminated: false, logprobs: [] },
    { turn: 2, start: 6, ids: [u, 9], terminated: true, logprobs: [] },
  ],
);
const turn0 = { trajectory, turn: 0, weight: 1 };
const turn2 = { trajectory, turn: 2, weight: 2 };

function episodeOf(ids: number[], utterances: SegmentUtterance[]): { segments: TokenSegment[] } {
  return { segments: [{ ids, utterances }] };
}

test('three turns, as in the description: targets before their tokens, weights and masks of what is scored', () => {
  const { examples, turns, lengths } = packTurns([turn0, turn2], { scoreTerminator: true });
  expect(examples).toHaveLength(1);
  expect(turns).toEqual([turn0, turn2]);
  expect(lengths).toEqual([2, 2]);
  const [example] = examples;
  expect([...example.ids]).toEqual([H, q, r, w, v, s, u]);
  expect([...example.targets]).toEqual([q, 9, 0, 0, 0, u, 9]);
  expect([...example.weights]).toEqual([1, 1, 0, 0, 0, 2, 2]);
  expect([...example.tokenMasks!]).toEqual([mask, mask, ...Array.from({ length: 5 }, () => undefined)]);
});

test('observations are scored beside all utterances, but for tokens that the policy can never write', () => {
  const observations = { weight: 0.5, maskedIds: new Set([r]) };
  const [example] = packTurns([turn0, turn2], { scoreTerminator: false }, observations).examples;
  expect([...example.ids]).toEqual([H, q, r, w, v, s]);
  expect([...example.targets]).toEqual([q, 0, 0, 0, s, u]);
  expect([...example.weights]).toEqual([1, 0, 0, 0, 0.5, 2]);
});

test('utterances that share a position have an example each; what both read is scored once', () => {
  const close = episodeOf(
    [H, r, q, u],
    [
      { turn: 0, start: 2, ids: [q, 9], terminated: true, logprobs: [] },
      { turn: 1, start: 3, ids: [u], terminated: false, logprobs: [], tokenMasks: [mask] },
    ],
  );
  const observations = { weight: 0.5, maskedIds: new Set<number>() };
  const turns = [0, 1].map((turn) => ({ trajectory: close, turn }));
  const { examples } = packTurns(turns, { scoreTerminator: true }, observations);
  expect(examples.map(({ targets, weights }) => [[...targets], [...weights]])).toEqual([
    [
      [r, q, 9],
      [0.5, 1, 1],
    ],
    [
      [0, 0, u],
      [0, 0, 1],
    ],
  ]);
  expect(examples.map(({ tokenMasks }) => tokenMasks)).toEqual([undefined, [undefined, undefined, mask]]);
});

test('tokens after the last scored utterance are not run, and a turn drawn twice counts twice', () => {
  const drawn = { ...turn0, weight: 0.25 };
  const { examples, turns } = packTurns([drawn, drawn], { scoreTerminator: true });
  expect(examples.map(({ ids }) => [...ids])).toEqual([[H, q]]);
  expect([...examples[0].weights]).toEqual([0.5, 0.5]);
  expect(turns).toHaveLength(1);
});

test('an utterance that the length limit ended needs no position for its last token, and an empty one no example', () => {
  const [example] = packTurns([{ trajectory, turn: 1 }], { scoreTerminator: true }).examples;
  expect([...example.ids]).toEqual([H, q, r, w]); // with the fifth it could be longer than the context
  const silent = episodeOf([H], [{ turn: 0, start: 1, ids: [9], terminated: true, logprobs: [] }]);
  expect(packTurns([{ trajectory: silent, turn: 0 }], { scoreTerminator: false }).examples).toEqual([]);
});
