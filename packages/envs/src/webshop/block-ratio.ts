// Computes the similarity of two texts, with the same result as Python's difflib.SequenceMatcher(None, a, b).ratio(). Source:
// Ratcliff and Metzener 1988, "Pattern matching: the gestalt approach", as in CPython's difflib.

/** The length of a text from which difflib ignores characters that make up more than 1 % of it (its option `autojunk`). */
const LONG = 200;

/** Computes 2 · M / (|a| + |b|): M counts characters in the longest common block and, recursively, to its left and right. */
export function blockRatio(a: string, b: string): number {
  if (a.length + b.length === 0) return 1;
  const places = placesIn(b);
  let matched = 0;
  const open = [{ fromA: 0, toA: a.length, fromB: 0, toB: b.length }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { startA, startB, size } = longestBlock(a, b, places, part);
    if (size === 0) continue;
    matched += size;
    const { fromA, toA, fromB, toB } = part;
    open.push({ fromA, toA: startA, fromB, toB: startB });
    open.push({ fromA: startA + size, toA, fromB: startB + size, toB });
  }
  return (2 * matched) / (a.length + b.length);
}

/** Returns the positions of each character in a text. In a long text, characters that make up over 1 % are left out. */
function placesIn(text: string): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (let i = 0; i < text.length; i++) {
    const of = places.get(text[i]);
    if (of === undefined) places.set(text[i], [i]);
    else of.push(i);
  }
  if (text.length < LONG) return places;
  const most = Math.floor(text.length / 100) + 1;
  return new Map([...places].filter(([, of]) => of.length <= most));
}

interface Part {
  fromA: number;
  toA: number;
  fromB: number;
  toB: number;
}

/** Returns the longest run that both ranges contain; of equally long ones the first in a, then in b. */
function longestBlock(a: string, b: string, places: ReadonlyMap<string, readonly number[]>, part: Part) {
  const { fromA, toA, fromB, toB } = part;
  let [startA, startB, size] = [fromA, fromB, 0];
  // The length of the common run that ends at the previous character of a and at each position of b.
  let endingAt = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]) ?? []) {
      if (j < fromB) continue;
      if (j >= toB) break;
      const length = (endingAt.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [startA, startB, size] = [i - length + 1, j - length + 1, length];
    }
    endingAt = next;
  }
  // Frequent characters, which `placesIn` leaves out, may still extend the run.
  while (startA > fromA && startB > fromB && a[startA - 1] === b[startB - 1])
    [startA, startB, size] = [startA - 1, startB - 1, size + 1];
  while (startA + size < toA && startB + size < toB && a[startA + size] === b[startB + size]) size++;
  return { startA, startB, size };
}
