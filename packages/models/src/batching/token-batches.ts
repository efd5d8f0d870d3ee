// Pads token examples of different lengths into batches of similar length, within a token budget.
import type { TokenMask } from '@bowyer/core';
import { lengthBatches } from './length-batches.js';
import { prefixGroups } from './prefix-groups.js';
import { reportedTokens, type ReportedTokens } from './reported-tokens.js';

/**
 * One token sequence to score. The loss of an example is
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

/** Several examples as one rectangle, padded on the right; the causal mask hides padding from every real position. */
export interface TokenBatch {
  /** The indices of the examples in the call, one per row. */
  examples: number[];
  rows: number;
  columns: number;
  /** [prefix] the tokens that all rows begin with, before their first column; empty if the rows share nothing. */
  prefix: Int32Array;
  /** [rows, columns] */
  ids: Int32Array;
  /** [scored] row · columns + column of every position with a weight. */
  scoredPositions: Int32Array;
  /** [scored] */
  targets: Int32Array;
  /** [scored] */
  weights: Float32Array;
  /** [scored] 0 for examples without entropy weights. */
  entropyWeights: Float32Array;
  /** [scored] as in the examples; undefined where all tokens can be chosen at all positions. */
  tokenMasks?: readonly (TokenMask | undefined)[];
  /** [valued] row · columns + column of every position with a weight of V. */
  valuePositions: Int32Array;
  /** [valued] */
  valueWeights: Float32Array;
  /** The positions without a weight whose log p is reported, if wanted. */
  reported?: ReportedTokens;
}

/**
 * Groups examples of similar length into batches of at most `maxTokens` tokens including padding (a longer single example becomes
 * a batch with one row). Examples without any weight are omitted. The grouping depends on the lengths alone and, with
 * `sharesPrefixes`, on which examples begin with the same tokens: batches with a shared prefix come first.
 */
export const tokenBatches = (examples: readonly TokenExample[], options: TokenBatchOptions): TokenBatch[] => [
  ...tokenBatchesInSteps(examples, options),
];

/** Yields the batches of `tokenBatches`, each made when it is needed: making all at once takes long for large requests. */
export function tokenBatchesInSteps(
  examples: readonly TokenExample[],
  { sharesPrefixes = false, ...options }: TokenBatchOptions,
): Generator<TokenBatch> {
  const scored = examples.flatMap((example, index) => {
    const length = readLength(checked(example, index), options.reports);
    return length > 0 ? [{ index, length }] : [];
  });
  const groups = sharesPrefixes
    ? prefixGroups(
        scored.map(({ index, length }) => ({ ...examples[index], length, free: freeLength(examples[index], length) })),
      )
    : [];
  const shared = new Set(groups.flatMap(({ members }) => members));
  const alone = scored.filter((_, i) => !shared.has(i));
  return padEach(
    examples,
    [
      ...groups.flatMap(({ members, prefix }) =>
        groupings(
          members.map((i) => scored[i]),
          prefix,
          options.maxTokens,
        ),
      ),
      ...groupings(alone, 0, options.maxTokens),
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

/** The examples of a batch, before it is padded. */
interface Grouping {
  chosen: number[];
  columns: number;
  prefix: number;
}

function groupings(
  scored: readonly { index: number; length: number }[],
  prefix: number,
  maxTokens: number,
): Grouping[] {
  return lengthBatches(
    scored.map(({ length }) => [length - prefix]),
    maxTokens - prefix,
  ).map((rows) => {
    const columns = scored[rows.at(-1)!].length - prefix;
    return { chosen: rows.map((row) => scored[row].index), columns, prefix };
  });
}

function* padEach(
  examples: readonly TokenExample[],
  groups: readonly Grouping[],
  options: BatchingOptions,
): Generator<TokenBatch> {
  for (const { chosen, columns, prefix } of groups) yield padded(examples, chosen, { columns, prefix, ...options });
}

const readLength = (example: TokenExample, reports = false): number =>
  reports ? example.ids.length : scoredLength(example);

/** Counts the tokens up to the last position that is scored or valued, 0 if there is none; later tokens cannot change the loss. */
function scoredLength(example: TokenExample): number {
  let length = example.weights.length;
  while (length > 0 && !isScored(example, length - 1) && !isValued(example, length - 1)) length--;
  return length;
}

/**
 * Counts the tokens before the first position that is scored or valued. The last token that is read does not count, since a row
 * must not be empty.
 */
function freeLength(example: TokenExample, readLength: number): number {
  let length = 0;
  while (length < readLength - 1 && !isScored(example, length) && !isValued(example, length)) length++;
  return length;
}

const isScored = ({ weights, entropyWeights }: TokenExample, t: number): boolean =>
  weights[t] !== 0 || (entropyWeights !== undefined && entropyWeights[t] !== 0);

const isValued = ({ valueWeights }: TokenExample, t: number): boolean =>
  valueWeights !== undefined && valueWeights[t] !== 0;

function padded(
  examples: readonly TokenExample[],
  chosen: number[],
  {
    columns,
    prefix,
    padTokenId,
    reports = false,
  }: { columns: number; prefix: number } & Omit<BatchingOptions, 'maxTokens'>,
): TokenBatch {
  const ids = new Int32Array(chosen.length * columns).fill(padTokenId);
  const positions: number[] = [];
  const targets: number[] = [];
  const weights: number[] = [];
  const entropyWeights: number[] = [];
  const tokenMasks: (TokenMask | undefined)[] = [];
  const valuePositions: number[] = [];
  const valueWeights: number[] = [];
  chosen.forEach((index, row) => {
    const example = examples[index];
    const length = readLength(example, reports);
    ids.set(example.ids.subarray(prefix, length), row * columns);
    for (let token = prefix; token < length; token++) {
      const position = row * columns + token - prefix;
      if (isValued(example, token)) {
        valuePositions.push(position);
        valueWeights.push(example.valueWeights![token]);
      }
      if (!isScored(example, token)) continue;
      positions.push(position);
      targets.push(example.targets[token]);
      weights.push(example.weights[token]);
      entropyWeights.push(example.entropyWeights?.[token] ?? 0);
      tokenMasks.push(example.tokenMasks?.[token] ?? undefined);
    }
  });
  return {
    examples: chosen,
    rows: chosen.length,
    columns,
    prefix: chosen.length > 0 ? examples[chosen[0]].ids.slice(0, prefix) : new Int32Array(0),
    ids,
    scoredPositions: Int32Array.from(positions),
    targets: Int32Array.from(targets),
    weights: Float32Array.from(weights),
    entropyWeights: Float32Array.from(entropyWeights),
    ...(tokenMasks.some((own) => own !== undefined) && { tokenMasks }),
    valuePositions: Int32Array.from(valuePositions),
    valueWeights: Float32Array.from(valueWeights),
    ...(reports && { reported: reportedTokens(examples, chosen, { columns, prefix }, isScored) }),
  };
}

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
