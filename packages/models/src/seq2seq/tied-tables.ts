// Word tables of an encoder-decoder: one for the source, the target and the head, or several.
import type { HostTensors } from '@bowyer/checkpoints';

/** A table's name, and the table that it is unless the file has another one. */
export type TiedPair = readonly [copy: string, source: string];

/**
 * Ties tables as Python's library does: a copy with other numbers than its source is a table of its own, whatever
 * config.json says; one with the same numbers is dropped; one without its source takes the source's name.
 *
 * @param tensors by the architecture's names; changed
 * @returns the copies that are tables of their own
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

/** Returns the name under which a table is in the model. */
export function tableName(name: string, pairs: readonly TiedPair[], apart: ReadonlySet<string>): string {
  const pair = pairs.find(([copy]) => copy === name);
  return pair === undefined || apart.has(name) ? name : pair[1];
}
