// Divides examples for training and scoring into batches of limited size: padded rectangles of examples of similar length, or
// trees of examples that begin with the same tokens.
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
 * `targets` is not always `ids` shifted by one: after an agent's utterance its terminator token is scored, while the sequence
 * continues with the first token of the next observation.
 */
export interface TokenExample {
  /** [tokens] the ids that the model reads. */
  ids: Int32Array;
  /** [tokens] the token that is scored after each position; any value where the weight is 0. */
  targets: Int32Array;
  /** [tokens] the weight of each position in the loss, 0 where the agent did not write the target. */
  weights: Float32Array;
  /** [tokens] the tokens from which each scored one could be chosen, the target included; null, undefined or omitted: all. */
  tokenMasks?: readonly (TokenMask | null | undefined)[];
  /** [tokens] weights in the loss of −H, where H is the entropy of the distribution after each position; all are 0 if omitted. */
  entropyWeights?: Float32Array;
  /** [tokens] weights in the loss of V, the value head's output after reading up to the position; not computed where 0. */
  valueWeights?: Float32Array;
}

export interface Place {
  /** The index of the example among those of the call. */
  example: number;
  token: number;
}

/**
 * Several examples in one forward pass: as a rectangle, which is padded on the right, where the causal mask hides padding from
 * all other positions, or as a tree without padding. A position is an index into `ids`, in which the rows follow each other.
 */
export interface TokenBatch {
  /** The indices of the examples among those of the call, one per row. */
  examples: number[];
  rows: number;
  /** The number of tokens per row, padding included; 1 if the batch is a tree. */
  columns: number;
  /** The tree whose tokens `ids` are; undefined for a rectangle. */
  tree?: TokenTree;
  /** [rows, columns], or [tokens] of the tree. */
  ids: Int32Array;
  /** [scored] the position of each token with a weight other than 0, once for each of the examples that share it in a tree. */
  scoredPositions: Int32Array;
  /** [scored] the example and token of each scored position. */
  scoredPlaces: Place[];
  /** [scored] the token that is scored. */
  targets: Int32Array;
  /** [scored] weights in the loss. */
  weights: Float32Array;
  /** [scored] weights of the entropy; 0 for examples without `entropyWeights`. */
  entropyWeights: Float32Array;
  /** [scored] `tokenMasks` of the examples; undefined where all tokens can be chosen at all positions. */
  tokenMasks?: readonly (TokenMask | undefined)[];
  /** [valued] the position of each token at which V has a weight other than 0. */
  valuePositions: Int32Array;
  /** [valued] the example and token of each valued position. */
  valuePlaces: Place[];
  /** [valued] weights of V in the loss. */
  valueWeights: Float32Array;
  /** The positions without a weight whose log p is reported, if the caller asked for them. */
  reported?: ReportedTokens;
  /** Makes a batch of the rows `begin` to `end` (exclusive) of this batch, with the same columns. */
  part(begin: number, end: number): TokenBatch;
}

/**
 * Groups examples of similar length into batches of at most `maxTokens` tokens including padding (a longer single example becomes
 * a batch of one row). Examples without any weight are omitted. The grouping depends on the lengths alone and, with
 * `sharesPrefixes`, on which examples begin with the same tokens; then the trees come before the rectangles.
 */
export const tokenBatches = (examples: readonly TokenExample[], options: TokenBatchOptions): TokenBatch[] => [
  ...tokenBatchesInSteps(examples, options),
];

/** Yields the batches of `tokenBatches` one at a time, since making all of them takes long for large requests. */
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
  /** Whether log-probabilities of positions without a weight are reported; then the model reads every token of the examples. */
  reports?: boolean;
}

type TokenBatchOptions = BatchingOptions & { sharesPrefixes?: boolean };

interface Grouping {
  chosen: number[];
  /** The number of columns of the rectangle; undefined for a tree. */
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

/** Counts the tokens up to the last one with a weight of log p, entropy or V; later tokens cannot change the loss. */
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

/** Makes the tree of examples' sorted ids; longer examples give more block groups, as they give a rectangle more chunks. */
const treeOf = (rows: readonly Int32Array[]): TokenTree =>
  tokenTree(rows, Math.max(2, chunksOf(maximum(rows.map(({ length }) => length)))));

/** Checks the lengths of an example's arrays, and returns the example. @throws {RangeError} where they differ */
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
