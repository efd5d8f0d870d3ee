// Copies keys and values between rows of a KV cache and blocks of the prefix pool. It runs in the device's worker thread, which
// has both in memory.
import type { HostKernel } from '@bowyer/graph';
import { CacheRows } from './cache-rows.js';
import type { CopyBlocksArgs, CopyBlocksResult } from './prefix-pool.js';

export const copyPoolBlocks: HostKernel<'cache' | 'pool', CopyBlocksArgs, CopyBlocksResult> = ({
  states,
  args: { geometry, lengths, direction, copies, blocksPerArray, blockSize },
}) => {
  const arrays = Object.values(states.cache).map(({ data }) => data as Float32Array);
  const before = lengths.slice();
  if (direction === 'load') for (const { row, start } of copies) before[row] = Math.min(before[row], start);
  const rows = new CacheRows(arrays, geometry, before);
  if (direction === 'load') {
    rows.separateCutRows();
    rows.makeRoom(lengths.map((length, row) => length - rows.sharedLength(row)));
  }
  for (const { block, row, start } of copies) {
    const array = states.pool[`blocks.${Math.floor(block / blocksPerArray)}`].data as Float32Array;
    const at = (block % blocksPerArray) * blockSize;
    const content = array.subarray(at, at + blockSize);
    if (direction === 'save') rows.saveBlock(row, start, content);
    else rows.loadBlock(row, start, content);
  }
  return { capacities: rows.capacities, shared: rows.shared };
};
