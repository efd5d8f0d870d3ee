// Finds out which word tables (embeddings of source and target, and the weight of the LM head) of an encoder-decoder checkpoint
// are tied.
import type { HostTensors } from '@bowyer/checkpoints';

/** A table's name, and the table that it is tied to unless the file has both. */
export type TiedPair = readonly [copy: string, source: string];

/**
 * Ties tables as transformers does: a copy that differs from its source is a separate table, whatever config.json says; an equal copy
 * is dropped; a copy without a source is renamed to the source.
 *
 * @param tensors by the architecture's names; changed in place
 * @returns the names of the copies that are separate tables
 */
export function separateTables(tensors: HostTensors, pairs: readonly TiedPair[]): Set<string> {
  const apart = new Set<string>();
  for (const [copy, source] of pairs) {
    if (!(copy in tensors)) continue;
    if (!(source in tensors)) tensors[source] = tensors[copy];
    if (isEqual(tensors[copy].data, tensors[source].data)) delete tensors[copy];
    else apart.add(copy);
  }
  return apart;
}

function isEqual(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a === b) return true;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return a.length === b.length;
}

/** Returns the name of the parameter that contains a table: its own, or that of the table to which it is tied. */
export function tableName(name: string, pairs: readonly TiedPair[], apart: ReadonlySet<string>): string {
  const pair = pairs.find(([copy]) => copy === name);
  return pair === undefined || apart.has(name) ? name : pair[1];
}
