// Tests the tree of token sequences: random sequences are compared with sets of their prefixes.
import { Rng } from '@bowyer/core';
import { compareTokens } from './common-prefix.js';
import {
  blockPaths,
  blockTokens,
  pathEnds,
  pathsWithBlocks,
  queryPlaces,
  tokenTree,
  type TokenTree,
} from './token-tree.js';

/** Draws sequences of the tokens 0 and 1, which have many common prefixes; some are prefixes of others or equal to them. */
function randomSequences(seed: number): Int32Array[] {
  const rng = new Rng(seed);
  const trunk = Array.from({ length: 40 }, () => rng.integer(0, 1));
  return Array.from({ length: 12 }, () =>
    Int32Array.of(
      ...trunk.slice(0, rng.integer(0, 40)),
      ...Array.from({ length: rng.integer(1, 9) }, () => rng.integer(0, 1)),
    ),
  ).sort(compareTokens);
}

const trees = [1, 2, 3].flatMap((seed) =>
  [1, 2, 4].map((groups) => ({ sequences: randomSequences(seed), tree: tokenTree(randomSequences(seed), groups) })),
);

test('each beginning of a sequence is one token of the tree', () => {
  for (const { sequences, tree } of trees) {
    const beginnings = sequences.flatMap((ids) => Array.from(ids, (_, t) => ids.slice(0, t + 1).join()));
    const ofTokens = new Map<string, number>();
    tree.sequences.forEach((path, i) =>
      path.forEach((token, t) => ofTokens.set(sequences[i].slice(0, t + 1).join(), token)),
    );
    expect(tree.ids.length).toBe(new Set(beginnings).size);
    expect([...ofTokens.values()].toSorted((a, b) => a - b)).toEqual([...tree.ids.keys()]);
    for (const [beginning, token] of ofTokens) {
      const words = beginning.split(',');
      expect([tree.positions[token], tree.ids[token]]).toEqual([words.length - 1, Number(words.at(-1))]);
    }
  }
});

test('each token is in one block, at the place of its query', () => {
  for (const { tree } of trees) {
    const all = tree.groups.flatMap((group) => [...blockTokens(tree, group)]);
    const blocks = tree.groups.flatMap((group) => blocksOf(tree, group));
    const widths = tree.groups.flatMap((group) => group.blocks.map(() => group.width));
    expect(all.filter((token) => token < tree.ids.length).toSorted((a, b) => a - b)).toEqual([...tree.ids.keys()]);
    const { block, before, width, offset } = queryPlaces(tree);
    for (const token of tree.ids.keys()) {
      expect(blocks[block[token]][offset[token]]).toBe(token);
      expect(all[before[token] + offset[token]]).toBe(token);
      expect(widths[block[token]]).toBe(width[token]);
    }
  }
});

test('the end of a path has the last tokens before a token', () => {
  for (const { tree } of trees) {
    const ends = rowsOf(pathEnds(tree, 3), 3);
    for (const path of tree.sequences)
      path.forEach((token, t) => {
        const wanted = [t - 2, t - 1, t].map((at) => path[at] ?? tree.ids.length);
        expect(ends[token]).toEqual(wanted);
      });
  }
});

test('the path of a block leads to its last token, and contains another block as a whole or not at all', () => {
  for (const { tree } of trees) {
    const blocks = tree.groups.flatMap((group) => blocksOf(tree, group));
    for (const group of tree.groups) {
      const paths = rowsOf(blockPaths(tree, group), group.columns);
      const contains = rowsOf(pathsWithBlocks(tree, group), group.blocks.length);
      expect(contains.at(-1)).toEqual(group.blocks.map(() => 0));
      group.blocks.forEach(({ end }, b) => {
        const path = paths[b].slice(0, end);
        expect(path.map((token) => tree.positions[token])).toEqual([...path.keys()]);
        expect(path.at(-1)).toBe(blocksOf(tree, group)[b].at(-1));
        blocks.forEach((block, a) => {
          const common = block.filter((token) => path.includes(token)).length;
          expect(common).toBe(contains[a][b] * block.length);
        });
      });
    }
  }
});

const rowsOf = (data: Int32Array | Float32Array, width: number): number[][] =>
  Array.from({ length: data.length / width }, (_, row) => [...data.slice(row * width, (row + 1) * width)]);

const blocksOf = (tree: TokenTree, group: TokenTree['groups'][number]): number[][] =>
  rowsOf(blockTokens(tree, group), group.width).map((row) => row.filter((token) => token < tree.ids.length));
