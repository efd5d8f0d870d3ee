// Divides token examples into batches of limited size: rectangles of examples of similar length, with padding, or trees of examples
// that begin with the same tokens.
import { maximum, type TokenMask } from '@bowyer/core';
import { chunksOf } from '../layers/attention.js';
import { lengthBatches } from './length-batches.js';
import { reportedTokens, type ReportedTokens } from './reported-tokens.js';
import { sharedRuns } from './shared-runs.js';
import { tokenTree, type TokenTree } from './token-tree.js';

/**
 * A token sequence to score. Its loss is
 *
 *     Σ_t weights[t] · (−log p(targets[t] | ids[0..t]))
 *
 * `targets` is not `ids` shifted by one: after an utterance its terminator is scored, while the sequence continues with the first
 * token of the observation.
 */
export interface TokenExample {
  /** [tokens] the input of the model. */
  ids: Int32Array;
  /** [tokens] the token that is scored after each position; any value where the weight is 0. */
  targets: Int32Array;
  /** [tokens] 0 where the agent did not write the token. */
  weights: Float32Array;
  /**
   * [tokens] the tokens that could be chosen at each scored position, the target among them; null or undefined: all tokens. May
   * be omitted.
   */
  tokenMasks?: readonly (TokenMask | null | undefined)[];
  /** [tokens] weights of −H, where H is the entropy of the distribution after each position; none if omitted. */
  entropyWeights?: Float32Array;
  /** [tokens] weights of V, the value head's output after reading everything up to that position; 0 or omitted: V is not computed. */
  valueWeights?: Float32Array;
}

/** Names a token of an example. */
export interface Place {
  /** The index of the example in the call. */
  example: number;
  token: number;
}

/**
 * Several examples in one forward pass: as a rectangle, padded on the right, where the causal mask hides padding from all other
 * positions, or as a tree without padding. A position is an index of `ids`, row by row.
 */
export interface TokenBatch {
  /** The indices of the examples in the call, one per row. */
  examples: number[];
  rows: number;
  /** 1 if the batch is a tree. */
  columns: number;
  /** The tree whose tokens `ids` are; undefined for a rectangle. */
  tree?: TokenTree;
  /** [rows, columns], or [tokens] of the tree */
  ids: Int32Array;
  /** [scored] the position of every weight other than 0. Examples that share tokens of a tree have separate weights at one position. */
  scoredPositions: Int32Array;
  /** [scored] */
  scoredPlaces: Place[];
  /** [scored] */
  targets: Int32Array;
  /** [scored] */
  weights: Float32Array;
  /** [scored] 0 for examples without entropy weights. */
  entropyWeights: Float32Array;
  /** [scored] as in the examples; undefined where all tokens can be chosen at all positions. */
  tokenMasks?: readonly (TokenMask | undefined)[];
  /** [valued] the position of every weight of V other than 0. */
  valuePositions: Int32Array;
  /** [valued] */
  valuePlaces: Place[];
  /** [valued] */
  valueWeights: Float32Array;
  /** The positions without a weight whose log p is reported, if wanted. */
  reported?: ReportedTokens;
  /** Makes the batch of rows `begin` to `end` (exclusive), with the same columns. */
  part(begin: number, end: number): TokenBatch;
}

/**
 * Groups examples of similar length into batches of at most `maxTokens` tokens including padding (a longer single example becomes
 * a batch of one row). Examples without any weight are omitted. The grouping depends on the lengths alone and, with
 * `sharesPrefixes`, on which examples begin with the same tokens; the trees come first.
 */
export const tokenBatches = (examples: readonly TokenExample[], options: TokenBatchOptions): TokenBatch[] => [
  ...tokenBatchesInSteps(examples, options),
];

/** Yields the batches of `tokenBatches`, each of which is made when it is needed, since making all takes long for large requests. */
export function tokenBatchesInSteps(
  examples: readonly TokenExample[],
  { sharesPrefixes = false, ...options }: TokenBatchOptions,
): Generator<TokenBatch> {
  const scored = examples.flatMap((example, index) => {
    const length = readLength(checked(example, index), options.reports);
    return length > 0 ? [{ index, length }] : [];
  });
  const trees = sharesPrefixes
    ? sharedRuns(
        scored.map(({ index, length }) => examples[index].ids.subarray(0, length)),
        options.maxTokens,
      ).filter(({ length }) => length > 1)
    : [];
  const shared = new Set(trees.flat());
  const alone = scored.filter((_, i) => !shared.has(i));
  const chosenOf = (rows: readonly number[], some: typeof scored) => rows.map((row) => some[row].index);
  return batchEach(
    examples,
    [
      ...trees.map((rows): Grouping => ({ chosen: chosenOf(rows, scored) })),
      ...lengthBatches(
        alone.map(({ length }) => [length]),
        options.maxTokens,
      ).map((rows): Grouping => ({ chosen: chosenOf(rows, alone), columns: alone[rows.at(-1)!].length })),
    ],
    options,
  );
}

interface BatchingOptions {
  maxTokens: number;
  padTokenId: number;
  /** Whether positions without a weight are reported; then every token is read. */
  reports?: boolean;
}

type TokenBatchOptions = BatchingOptions & { sharesPrefixes?: boolean };

/** The examples that will form a batch. */
interface Grouping {
  chosen: number[];
  /** The width of the rectangle; undefined for a tree. */
  columns?: number;
}

function* batchEach(
  examples: readonly TokenExample[],
  groups: readonly Grouping[],
  options: BatchingOptions,
): Generator<TokenBatch> {
  for (const group of groups) yield batchOf(examples, group, options);
}

const readLength = (example: TokenExample, reports = false): number =>
  reports ? example.ids.length : scoredLength(example);

/** Counts the tokens up to the last position that is scored or valued, 0 if there is none; later tokens cannot change the loss. */
function scoredLength(example: TokenExample): number {
  let length = example.weights.length;
  while (length > 0 && !isScored(example, length - 1) && !isValued(example, length - 1)) length--;
  return length;
}

const isScored = ({ weights, entropyWeights }: TokenExample, t: number): boolean =>
  weights[t] !== 0 || (entropyWeights !== undefined && entropyWeights[t] !== 0);

const isValued = ({ valueWeights }: TokenExample, t: number): boolean =>
  valueWeights !== undefined && valueWeights[t] !== 0;

function batchOf(
  examples: readonly TokenExample[],
  group: Grouping,
  options: Omit<BatchingOptions, 'maxTokens'>,
): TokenBatch {
  const { chosen, columns } = group;
  const { padTokenId, reports = false } = options;
  const rows = chosen.map((index) => examples[index].ids.subarray(0, readLength(examples[index], reports)));
  const tree = columns === undefined && rows.length > 0 ? treeOf(rows) : undefined;
  const ids = tree?.ids ?? paddedIds(rows, columns ?? 1, padTokenId);
  const at = (row: number, token: number) => (tree ? tree.sequences[row][token] : row * (columns ?? 1) + token);
  const positions: number[] = [];
  const scoredPlaces: Place[] = [];
  const entropyWeights: number[] = [];
  const tokenMasks: (TokenMask | undefined)[] = [];
  const valuePositions: number[] = [];
  const valuePlaces: Place[] = [];
  chosen.forEach((index, row) => {
    const example = examples[index];
    for (let token = 0; token < rows[row].length; token++) {
      if (isValued(example, token)) {
        valuePositions.push(at(row, token));
        valuePlaces.push({ example: index, token });
      }
      if (!isScored(example, token)) continue;
      positions.push(at(row, token));
      scoredPlaces.push({ example: index, token });
      entropyWeights.push(example.entropyWeights?.[token] ?? 0);
      tokenMasks.push(example.tokenMasks?.[token] ?? undefined);
    }
  });
  return {
    examples: chosen,
    rows: chosen.length,
    columns: columns ?? 1,
    tree,
    ids,
    scoredPositions: Int32Array.from(positions),
    scoredPlaces,
    targets: Int32Array.from(scoredPlaces, ({ example, token }) => examples[example].targets[token]),
    weights: Float32Array.from(scoredPlaces, ({ example, token }) => examples[example].weights[token]),
    entropyWeights: Float32Array.from(entropyWeights),
    ...(tokenMasks.some((own) => own !== undefined) && { tokenMasks }),
    valuePositions: Int32Array.from(valuePositions),
    valuePlaces,
    valueWeights: Float32Array.from(valuePlaces, ({ example, token }) => examples[example].valueWeights![token]),
    ...(reports && { reported: reportedTokens(examples, chosen, at, isScored) }),
    part: (begin, end) => batchOf(examples, { chosen: chosen.slice(begin, end), columns }, options),
  };
}

function paddedIds(rows: readonly Int32Array[], columns: number, padTokenId: number): Int32Array {
  const ids = new Int32Array(rows.length * columns).fill(padTokenId);
  rows.forEach((own, row) => ids.set(own, row * columns));
  return ids;
}

/** Makes the tree of sorted rows. Longer rows are attended to in more groups of blocks, as in a rectangle in more chunks. */
const treeOf = (rows: readonly Int32Array[]): TokenTree =>
  tokenTree(rows, Math.max(2, chunksOf(maximum(rows.map(({ length }) => length)))));

/** Returns the example after its check. @throws {RangeError} where its arrays have different lengths */
function checked(example: TokenExample, index: number): TokenExample {
  const { ids, targets, weights, valueWeights = weights } = example;
  if (ids.length !== targets.length || ids.length !== weights.length)
    throw new RangeError(
      `tokenBatches: example ${index} has ${ids.length} ids, ${targets.length} targets and ${weights.length} weights; all three must be [tokens]`,
    );
  if (valueWeights.length !== ids.length)
    throw new RangeError(
      `tokenBatches: example ${index} has ${ids.length} ids and ${valueWeights.length} value weights; both must be [tokens]`,
    );
  return example;
}
