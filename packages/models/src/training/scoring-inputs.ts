// Makes the inputs of the graphs that score tokens, batch by batch.
import type { TokenMask } from '@bowyer/core';
import type { InputTensor } from '@bowyer/graph';
import type { TokenBatch, TokenExample } from '../batching/token-batches.js';
import { maskBytes } from '../layers/token-mask.js';
import { treeInputs } from './tree-inputs.js';

/**
 * Makes the inputs for a batch: tokens, scored positions with their targets, and those of values, masks and the tree if there are any.
 *
 * @param options.names the inputs of the graph
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

/** Makes the inputs for `reported_logprobs`. */
export function reportedInputs(batch: TokenBatch): Record<string, InputTensor> {
  const { positions, targets } = batch.reported!;
  const dims = [positions.length];
  return {
    reported_positions: { dims, data: positions },
    reported_targets: { dims, data: targets },
  };
}

/** Returns the batch with the reported positions as scored positions. */
export const reportedBatch = (batch: TokenBatch): TokenBatch => ({
  ...batch,
  scoredPositions: batch.reported!.positions,
  targets: batch.reported!.targets,
});

/** Returns whether some positions have a mask of the tokens that can be chosen. */
export const isMasked = (examples: readonly TokenExample[]): boolean =>
  examples.some(({ tokenMasks }) => tokenMasks !== undefined);

/**
 * Makes the inputs for masks. A mask is one input row, however many positions share it: first that of all tokens, then the others in the
 * order of their positions.
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

/** Writes a mask byte by byte, in the same order on every CPU. Tokens beyond the last word are not in the mask. */
function writeMask(mask: TokenMask | undefined, bytes: Uint8Array): void {
  if (!mask) bytes.fill(0xff);
  else for (let b = 0; b < bytes.length; b++) bytes[b] = (mask[b >> 2] ?? 0) >>> (8 * (b & 3));
}
