// Computes the order in which Scala 2.13 iterates over an immutable hash set or map with more than four strings, in which
// TextWorldExpress draws indices, so that a seed's world depends on it.

interface Hashed {
  name: string;
  hash: number;
}

/**
 * Returns the names in the order of Scala's hash trie: five hash bits per level, lowest bits first, a node before its children.
 */
export function hashTrieOrder(names: Iterable<string>): string[] {
  const entries = [...new Set(names)].map((name) => ({ name, hash: improve(javaStringHash(name)) }));
  return walk(entries, 0);
}

function walk(entries: Hashed[], shift: number): string[] {
  if (shift > 30) return entries.map(({ name }) => name); // Scala keeps names with equal hashes in a list, in order
  const buckets: Hashed[][] = Array.from({ length: 32 }, () => []);
  for (const entry of entries) buckets[(entry.hash >>> shift) & 31].push(entry);
  const single = buckets.filter((bucket) => bucket.length === 1).map(([entry]) => entry.name);
  const deeper = buckets.filter((bucket) => bucket.length > 1).flatMap((bucket) => walk(bucket, shift + 5));
  return [...single, ...deeper];
}

/** Computes Java's String.hashCode: h = 31·h + c over the UTF-16 code units, in 32-bit arithmetic. */
function javaStringHash(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Mixes the bits of a hash as scala.collection.immutable.HashMap.improve does. */
function improve(hashCode: number): number {
  let h = (hashCode + ~(hashCode << 9)) | 0;
  h ^= h >>> 14;
  h = (h + (h << 4)) | 0;
  return h ^ (h >>> 10);
}
