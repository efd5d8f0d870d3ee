import { Rng } from '@bowyer/core';
import { bestCandidate, chooseParent, dominates, mergeOf, paretoFront, type Candidate } from './candidates.js';

const scored = (...scores: number[][]) => scores.map((own) => ({ scores: own }));

test('one dominates another where it is nowhere worse and somewhere better', () => {
  expect(dominates([1, 0.5], [1, 0.4])).toBe(true);
  expect(dominates([1, 0.5], [1, 0.5])).toBe(false);
  expect(dominates([1, 0.3], [0, 0.4])).toBe(false);
});

test('the front has the candidates that are best at some task, also equal ones', () => {
  expect(paretoFront(scored([1, 0], [0, 1], [0, 0.5], [1, 0]))).toEqual([0, 1, 3]);
});

test('parents are drawn in proportion to the tasks that they lead', () => {
  const candidates = scored([1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0.5]);
  const rng = new Rng(1);
  const drawn = [0, 0, 0];
  for (let i = 0; i < 4_000; i++) drawn[chooseParent(candidates, rng)]++;
  expect(drawn[2]).toBe(0);
  expect(drawn[0] / 4_000).toBeCloseTo(0.75, 1);
});

test('the best candidate has the highest mean, the earliest of several', () => {
  expect(bestCandidate(scored([0.5, 0.5], [1, 0], [0.6, 0.6], [0.9, 0.3]))).toBe(2);
});

const seed: Candidate = { prompts: { a: 'a0', b: 'b0' }, parents: [], scores: [0, 0] };
const withA: Candidate = { prompts: { a: 'a1', b: 'b0' }, parents: [0], scores: [1, 0] };
const withB: Candidate = { prompts: { a: 'a0', b: 'b1' }, parents: [0], scores: [0, 1] };

test('a merge takes each text from the one that has changed it', () => {
  const merge = mergeOf([seed, withA, withB], new Rng(0))!;
  expect(merge.parents).toEqual([1, 2]);
  expect(merge.prompts).toEqual({ a: 'a1', b: 'b1' });
});

test('if both have changed a text, the better candidate’s text is taken', () => {
  const other: Candidate = { prompts: { a: 'a2', b: 'b1' }, parents: [0], scores: [0.4, 0.9] };
  expect(mergeOf([seed, withA, other], new Rng(0))).toBeNull(); // a2 with b1 is the candidate `other` itself
  const better: Candidate = { ...withA, scores: [1.5, 0] };
  expect(mergeOf([seed, better, other], new Rng(0))!.prompts).toEqual({ a: 'a1', b: 'b1' });
});

test('no candidate is merged with its ancestor, or if the merged prompts exist already', () => {
  expect(mergeOf([seed, { ...withA, parents: [0] }], new Rng(0))).toBeNull();
  const both: Candidate = { prompts: { a: 'a1', b: 'b1' }, parents: [1, 2], scores: [0.5, 0.5] };
  expect(mergeOf([seed, withA, withB, both], new Rng(0))).toBeNull();
});
