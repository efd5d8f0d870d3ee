import type { TokenSegment } from '@bowyer/core';
import { segmentExamples } from './segment-examples.js';

/** H and what the agent wrote: [q] ended by 9, r, [w v] that the length limit ended, s, [u] ended by 9. */
const [H, q, r, w, v, s, u] = [1, 2, 3, 4, 5, 6, 7];
const mask = Uint32Array.of((1 << q) | (1 << 9));
const segment: TokenSegment = {
  ids: [H, q, r, w, v, s, u],
  utterances: [
    { turn: 0, start: 1, ids: [q], terminatorId: 9, logprobs: [], tokenMasks: [mask, mask] },
    { turn: 1, start: 3, ids: [w, v], terminatorId: null, logprobs: [] },
    { turn: 2, start: 6, ids: [u], terminatorId: 9, logprobs: [], allowedIds: [[u, w], [9]] },
  ],
};
const weightOf = ({ turn }: { turn: number }) => [1, undefined, 2][turn];

test('three turns, as in the description: targets before their tokens, weights and masks of what is scored', () => {
  const [{ example, utterances }, ...others] = segmentExamples(segment, { scoreTerminator: true, weightOf });
  expect(others).toEqual([]);
  expect(utterances.map(({ turn }) => turn)).toEqual([0, 2]);
  expect([...example.ids]).toEqual([H, q, r, w, v, s, u]);
  expect([...example.targets]).toEqual([q, 9, 0, 0, 0, u, 9]);
  expect([...example.weights]).toEqual([1, 1, 0, 0, 0, 2, 2]);
  expect([...example.tokenMasks!]).toEqual([mask, mask, ...Array.from({ length: 5 }, () => undefined)]);
  expect([...example.allowedIds!]).toEqual([...Array.from({ length: 5 }, () => undefined), [u, w], [9]]);
});

test('observations are scored beside all utterances, but for tokens that the policy can never write', () => {
  const observations = { weight: 0.5, maskedIds: new Set([r]) };
  const [{ example }] = segmentExamples(segment, { scoreTerminator: false, weightOf, observations });
  expect([...example.ids]).toEqual([H, q, r, w, v, s]);
  expect([...example.targets]).toEqual([q, 0, 0, 0, s, u]);
  expect([...example.weights]).toEqual([1, 0, 0, 0, 0.5, 2]);
});

test('utterances that share a position have an example each; what both read is scored once', () => {
  const close: TokenSegment = {
    ids: [H, r, q, u],
    utterances: [
      { turn: 0, start: 2, ids: [q], terminatorId: 9, logprobs: [] },
      { turn: 1, start: 3, ids: [u], terminatorId: null, logprobs: [], tokenMasks: [mask] },
    ],
  };
  const observations = { weight: 0.5, maskedIds: new Set<number>() };
  const found = segmentExamples(close, { scoreTerminator: true, weightOf: () => 1, observations });
  expect(found.map(({ example: { targets, weights } }) => [[...targets], [...weights]])).toEqual([
    [
      [r, q, 9],
      [0.5, 1, 1],
    ],
    [
      [0, 0, u],
      [0, 0, 1],
    ],
  ]);
  expect(found.map(({ example }) => example.tokenMasks)).toEqual([undefined, [undefined, undefined, mask]]);
});
