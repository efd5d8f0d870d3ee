/** Counts the tokens of the common prefix of two texts. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const longest = Math.min(a.length, b.length);
  let length = 0;
  while (length < longest && a[length] === b[length]) length++;
  return length;
}
