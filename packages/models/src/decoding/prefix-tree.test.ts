import { Rng } from '@bowyer/core';
import { commonPrefix } from '../batching/common-prefix.js';
import { BLOCK_TOKENS, PrefixTree } from './prefix-tree.js';

/** Makes a text that has, for each of these numbers, one block of tokens that depends on the number. */
const text = (...names: number[]) =>
  names.flatMap((name) => Array.from({ length: BLOCK_TOKENS }, (_, i) => 1000 * name + i));

test('texts that begin alike share blocks, and an unfinished block is not kept', () => {
  const tree = new PrefixTree(10);
  expect(tree.keep([...text(1, 2), 5, 6])).toEqual([
    { index: 0, start: 0 },
    { index: 1, start: BLOCK_TOKENS },
  ]);
  expect(tree.keep(text(1, 3))).toEqual([{ index: 2, start: BLOCK_TOKENS }]);
  expect(tree.find(text(1, 2, 4))).toEqual([0, 1]);
  expect(tree.find(text(1, 3))).toEqual([0, 2]);
  expect(tree.find(text(2))).toEqual([]);
  expect(tree.find(text(1).slice(1))).toEqual([]);
  expect(tree.used).toBe(3);
});

test('the least recently used block is dropped, and blocks that others continue stay as long as these', () => {
  const tree = new PrefixTree(3);
  tree.keep(text(1, 2));
  tree.keep(text(3));
  tree.find(text(1)); // now block 1 is newer than 3, and 2 is the oldest
  expect(tree.keep(text(4))).toEqual([{ index: 1, start: 0 }]);
  expect(tree.find(text(1, 2))).toEqual([0]);
  expect(tree.keep(text(5))).toEqual([{ index: 2, start: 0 }]); // takes the place of block 3
  expect(tree.find(text(3))).toEqual([]);
});

test('a text longer than the pool is kept as far as there is room, and drops none of its own blocks', () => {
  const tree = new PrefixTree(2);
  expect(tree.keep(text(1, 2, 3))).toHaveLength(2);
  expect(tree.find(text(1, 2, 3))).toEqual([0, 1]);
  expect(tree.keep(text(1, 2, 3))).toEqual([]);
});

test('what is found was kept, under the index that it was given last: against a list of all texts', () => {
  const rng = new Rng(3);
  const tree = new PrefixTree(12);
  const filled: number[][] = [];
  for (let i = 0; i < 400; i++) {
    const tokens = text(...Array.from({ length: rng.integer(1, 6) }, () => rng.integer(1, 3)));
    for (const { index, start } of tree.keep(tokens)) filled[index] = tokens.slice(0, start + BLOCK_TOKENS);
    const asked = text(...Array.from({ length: 6 }, () => rng.integer(1, 3)));
    const found = tree.find(asked);
    found.forEach((index, at) => expect(filled[index]).toEqual(asked.slice(0, (at + 1) * BLOCK_TOKENS)));
    expect(tree.find(tokens).length * BLOCK_TOKENS).toBe(commonPrefix(tokens, tokens)); // just kept
    expect(tree.used).toBeLessThanOrEqual(12);
  }
  tree.clear();
  expect([tree.used, tree.find(text(1))]).toEqual([0, []]);
});
