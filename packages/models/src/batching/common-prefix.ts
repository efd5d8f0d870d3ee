// Compares texts that are given as token ids.
/** Counts the tokens of the common prefix of two texts. */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const longest = Math.min(a.length, b.length);
  let length = 0;
  while (length < longest && a[length] === b[length]) length++;
  return length;
}

/** Compares two texts by their token ids, in the order of a dictionary: a text comes before its continuations. */
export function compareTokens(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const common = commonPrefix(a, b);
  return common === a.length || common === b.length ? a.length - b.length : a[common] - b[common];
}
