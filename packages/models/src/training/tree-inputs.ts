// Declares and makes the inputs of graphs whose batch is a tree of tokens, which has the common prefixes of sequences once (see
// token-tree.ts).
import { maximum } from '@bowyer/core';
import { multiplyDims, type Dim, type GraphBuilder, type InputTensor, type Value } from '@bowyer/graph';
import type { TreeSequences } from '../architecture/architecture.js';
import {
  blockPaths,
  blockTokens,
  pathEnds,
  pathsWithBlocks,
  queryPlaces,
  type TokenTree,
} from '../batching/token-tree.js';
import type { HeadLayout, TreeBlocks } from '../layers/attention.js';

/** Declares the input with the position of each token in its sequences, int64 [tokens]. */
export const treePositions = (g: GraphBuilder): Value =>
  g.cast(g.input('tree_positions', 'int32', ['tokens']), 'int64');

/**
 * Declares the inputs of attention over a tree, and computes from them the indices of each token's heads.
 *
 * @param count the number of groups of blocks, which are padded to the same sizes
 * @param trains whether gradients are computed
 */
export function treeBlocks(
  g: GraphBuilder,
  count: number,
  positions: Value,
  { heads, keyValueHeads }: Omit<HeadLayout, 'batch' | 'tokens'>,
  trains: boolean,
): TreeBlocks {
  const input = (name: string, shape: Dim[]) => g.cast(g.input(`tree_${name}`, 'int32', shape), 'int64');
  const inputs = Array.from({ length: count }, (_, i) => ({
    queries: input(`queries_${i}`, [`blocks_${i}`, `width_${i}`]),
    starts: input(`starts_${i}`, [`blocks_${i}`]),
    paths: input(`paths_${i}`, [`blocks_${i}`, `columns_${i}`]),
    contains: trains ? g.input(`tree_contains_${i}`, 'float32', ['all_blocks', `blocks_${i}`]) : undefined,
  }));
  const [block, before, widths, offset] = ['block', 'before', 'width', 'offset'].map((name) => input(name, ['tokens']));
  const padded = g.concat(
    inputs.map(({ queries }) => {
      const [blocks, width] = queries.shape;
      return g.reshape(placesOfHeads(g, queries, heads), [multiplyDims(multiplyDims(blocks, heads), width)]);
    }),
    0,
  );
  const sumsOf = (contains: Value, columns: Value) => {
    const places = g.add(g.mul(block, g.mul(columns, keyValueHeads)), positions);
    const zeros = g.mul(g.sub(g.dimScalar('all_blocks'), 1), g.mul(columns, keyValueHeads));
    const own = g.where(g.less(positions, columns), places, zeros);
    return { contains, inPaths: g.add(g.unsqueeze(own, 1), g.mul(g.range(keyValueHeads), columns)) };
  };
  return {
    groups: inputs.map(({ queries, starts, paths, contains }) => ({
      places: { queries: g.add(g.unsqueeze(starts, 1), g.range(queries.dim(1))), keys: g.range(paths.dim(1)) },
      paths: placesOfHeads(g, paths, keyValueHeads),
      sums: contains && sumsOf(contains, g.dimScalar(paths.dim(1))),
    })),
    padded,
    inside: g.min(padded, g.sub(g.mul(g.dimScalar('tokens'), heads), 1)),
    // In a block that comes after n queries, the query of a head at `offset` has the index n · heads + head · width + offset.
    inBlocks: g.add(g.unsqueeze(g.add(g.mul(before, heads), offset), 1), g.mul(g.range(heads), g.unsqueeze(widths, 1))),
  };
}

/** Computes the indices of some tokens' heads in [tokens · heads, headSize]: [blocks, tokens] → [blocks, heads, tokens]. */
const placesOfHeads = (g: GraphBuilder, tokens: Value, heads: number): Value =>
  g.add(g.mul(g.unsqueeze(tokens, 1), heads), g.unsqueeze(g.range(heads), 1));

/** Returns a function that declares the inputs of recurrent layers and convolutions when a layer needs them. */
export const treeSequences =
  (g: GraphBuilder) =>
  (reach?: number): TreeSequences => {
    const input = (name: string, shape: Dim[]) => g.inputs.get(name) ?? g.input(name, 'int32', shape);
    if (reach !== undefined) return { ends: input(`tree_ends_${reach}`, ['tokens', reach]) };
    return {
      sequences: input('tree_sequences', ['sequences', 'longest']),
      inSequences: input('tree_in_sequences', ['tokens']),
    };
  };

/**
 * Makes the inputs that the functions above declare, for a tree.
 *
 * @param names the names of the graph's inputs, since some are declared only if a layer or the gradient needs them
 */
export function treeInputs(tree: TokenTree, names: ReadonlyMap<string, unknown>): Record<string, InputTensor> {
  const tokens = tree.ids.length;
  const vector = (data: Int32Array) => ({ dims: [data.length], data });
  const { block, before, width, offset } = queryPlaces(tree);
  const inputs: Record<string, InputTensor> = {
    tree_positions: vector(tree.positions),
    tree_block: vector(block),
    tree_before: vector(before),
    tree_width: vector(width),
    tree_offset: vector(offset),
  };
  tree.groups.forEach((group, i) => {
    const blocks = group.blocks.length;
    inputs[`tree_queries_${i}`] = { dims: [blocks, group.width], data: blockTokens(tree, group) };
    inputs[`tree_starts_${i}`] = vector(Int32Array.from(group.blocks, ({ start }) => start));
    inputs[`tree_paths_${i}`] = { dims: [blocks, group.columns], data: blockPaths(tree, group) };
    if (!names.has(`tree_contains_${i}`)) return;
    const contains = pathsWithBlocks(tree, group);
    inputs[`tree_contains_${i}`] = { dims: [contains.length / blocks, blocks], data: contains };
  });
  for (const name of names.keys()) {
    const reach = Number(/^tree_ends_(\d+)$/.exec(name)?.[1]);
    if (reach > 0) inputs[name] = { dims: [tokens, reach], data: pathEnds(tree, reach) };
  }
  return names.has('tree_sequences') ? { ...inputs, ...sequenceInputs(tree.sequences, tokens) } : inputs;
}

function sequenceInputs(sequences: readonly Int32Array[], tokens: number): Record<string, InputTensor> {
  const longest = maximum(sequences.map(({ length }) => length));
  const padded = new Int32Array(sequences.length * longest);
  const inSequences = new Int32Array(tokens);
  sequences.forEach((own, row) => {
    padded.set(own, row * longest);
    own.forEach((token, t) => (inSequences[token] = row * longest + t));
  });
  return {
    tree_sequences: { dims: [sequences.length, longest], data: padded },
    tree_in_sequences: { dims: [tokens], data: inSequences },
  };
}
