// Makes the inputs of scoring and training graphs (training-graph.ts) for a batch of examples.
import type { TokenMask } from '@bowyer/core';
import type { InputTensor } from '@bowyer/graph';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';
import { maskBytes } from '../layers/token-mask.js';
import { treeInputs } from './tree-inputs.js';

/**
 * Makes the graph's inputs for a batch: tokens, scored positions with their targets, and, if the batch has them, the positions of
 * values, the masks of allowed tokens, and the tree of common prefixes.
 *
 * @param options.names the names of the graph's inputs, by which the tree's are selected
 */
export function scoringInputs(
  batch: TokenBatch,
  {
    value = false,
    masked,
    vocabSize,
    names,
  }: { value?: boolean; masked: boolean; vocabSize: number; names: ReadonlyMap<string, unknown> },
): Record<string, InputTensor> {
  const { scoredPositions, valuePositions, tree } = batch;
  const scored = [scoredPositions.length];
  return {
    ids: { dims: tree ? [batch.ids.length] : [batch.rows, batch.columns], data: batch.ids },
    scored_positions: { dims: scored, data: scoredPositions },
    targets: { dims: scored, data: batch.targets },
    ...(masked && maskInputs(batch, vocabSize)),
    ...(value && { value_positions: { dims: [valuePositions.length], data: valuePositions } }),
    ...(tree && treeInputs(tree, names)),
  };
}

/** Makes the inputs for the training graph's output `reported_logprobs`: positions whose log p is computed, not trained on. */
export function reportedInputs(batch: TokenBatch): Record<string, InputTensor> {
  const { positions, targets } = batch.reported!;
  const dims = [positions.length];
  return {
    reported_positions: { dims, data: positions },
    reported_targets: { dims, data: targets },
  };
}

/** Returns a batch for the scoring graph that scores the reported positions, for a batch without any position to train on. */
export const reportedBatch = (batch: TokenBatch): TokenBatch => ({
  ...batch,
  scoredPositions: batch.reported!.positions,
  targets: batch.reported!.targets,
});

/** Returns whether some positions have a mask of the tokens that can be chosen. */
export const isMasked = (examples: readonly TokenExample[]): boolean =>
  examples.some(({ tokenMasks }) => tokenMasks !== undefined);

/**
 * Makes the inputs for the masks of allowed tokens. Positions with the same mask share one row of `token_masks`: the first row
 * allows all tokens, the other rows are in the order of their positions.
 */
function maskInputs({ scoredPositions, tokenMasks = [] }: TokenBatch, vocabSize: number): Record<string, InputTensor> {
  const rowOf = new Map<TokenMask | undefined, number>([[undefined, 0]]);
  const rows = new Int32Array(scoredPositions.length);
  tokenMasks.forEach((mask, i) => {
    const row = rowOf.get(mask) ?? rowOf.size;
    rowOf.set(mask, (rows[i] = row));
  });
  const width = maskBytes(vocabSize);
  const bytes = new Uint8Array(rowOf.size * width);
  for (const [mask, row] of rowOf) writeMask(mask, bytes.subarray(row * width, (row + 1) * width));
  return {
    token_masks: { dims: [rowOf.size, width], data: bytes },
    mask_rows: { dims: [rows.length], data: rows },
  };
}

/** Writes a mask of 32-bit words byte by byte, in the same order on every CPU. Tokens beyond its last word are not allowed. */
function writeMask(mask: TokenMask | undefined, bytes: Uint8Array): void {
  if (!mask) bytes.fill(0xff);
  else for (let b = 0; b < bytes.length; b++) bytes[b] = (mask[b >> 2] ?? 0) >>> (8 * (b & 3));
}
