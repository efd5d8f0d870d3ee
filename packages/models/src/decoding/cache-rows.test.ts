import { CacheRows } from './cache-rows.js';

const heads = 2;
const headSize = 3;
const LARGEST = 128;

/** Makes a number that encodes the indices of an element, so that a test sees where the element was before rows moved. */
const mark = (array: number, row: number, head: number, position: number, i: number) =>
  array * 100000 + row * 10000 + head * 1000 + position * 10 + i;

/** Makes a cache of two arrays whose elements are the numbers that `mark` returns for their indices. */
function filled(lengths: number[], capacity: number, shares = false) {
  const arrays = [0, 1].map(() => new Float32Array((lengths.length + 1) * heads * LARGEST * headSize));
  const rows = new CacheRows(
    arrays,
    {
      heads,
      headSize,
      capacities: new Int32Array(lengths.length).fill(capacity),
      largestCapacity: LARGEST,
      ...(shares && { shared: { lengths: [0, 0] as [number, number], rows: new Uint8Array(lengths.length) } }),
    },
    new Int32Array(lengths.length),
  );
  const longest = Math.max(...lengths);
  const fresh = arrays.flatMap((_, array) =>
    lengths.flatMap((_length, row) =>
      [0, 1].flatMap((head) =>
        Array.from({ length: longest }, (_p, position) =>
          [0, 1, 2].map((i) => mark(array, row, head, position, i)),
        ).flat(),
      ),
    ),
  );
  rows.append(Float32Array.from(fresh), longest, Int32Array.from(lengths));
  return { arrays, rows };
}

function expectMarks({ arrays, rows }: ReturnType<typeof filled>, rowOf: number[]): void {
  arrays.forEach((array, a) =>
    rowOf.forEach((original, row) => {
      const [begin, before, all] = [rows.sharedBegin(row), rows.sharedLength(row), rows.sharedSize];
      for (let head = 0; head < heads; head++)
        for (let position = 0; position < before + rows.lengths[row]; position++)
          for (let i = 0; i < headSize; i++) {
            const place =
              position < before
                ? rows.sharedStart + (head * all + begin + position) * headSize
                : rows.start(row) + (head * rows.capacities[row] + position - before) * headSize;
            expect(array[place + i]).toBe(mark(a, original, head, position, i));
          }
    }),
  );
}

/** Creates `CacheRows` on the arrays of an existing cache again, with other numbers of positions in use. */
function reopened({ arrays, rows: { geometry, capacities, shared } }: ReturnType<typeof filled>, lengths: number[]) {
  const rows = new CacheRows(arrays, { ...geometry, capacities, shared }, Int32Array.from(lengths));
  rows.separateCutRows();
  return { arrays, rows };
}

test('append leaves padding out and counts what is real', () => {
  const cache = filled([3, 0, 5], 32);
  expect([...cache.rows.lengths]).toEqual([3, 0, 5]);
  expectMarks(cache, [0, 1, 2]);
});

test('growing and shrinking moves every row unharmed', () => {
  const cache = filled([20, 7, 0, 31], 32);
  cache.rows.fit([20, 70, 0, 31]);
  expect([...cache.rows.capacities]).toEqual([96, 96, 96, 96]);
  expectMarks(cache, [0, 1, 2, 3]);
  cache.rows.fit([1, 1, 1, 1]); // the longest row still needs 32
  expect([...cache.rows.capacities]).toEqual([32, 32, 32, 32]);
  expectMarks(cache, [0, 1, 2, 3]);
});

test('rows whose capacities grow and shrink at once, some of them exchanged, keep what is in them', () => {
  const cache = filled([20, 7, 2, 31, 9], 32);
  cache.rows.makeRoom(Int32Array.of(33, 7, 64, 31, 96));
  expect([...cache.rows.capacities]).toEqual([64, 32, 64, 32, 96]);
  expectMarks(cache, [0, 1, 2, 3, 4]);
  cache.rows.swap(0, 3);
  cache.rows.swap(3, 4);
  cache.rows.fit([31, 7, 2]);
  expect([...cache.rows.capacities]).toEqual([32, 32, 32, 96, 64]);
  expectMarks(cache, [3, 1, 2, 4, 0]);
});

test('a copied beginning replaces a row, which gets the room for it', () => {
  const cache = filled([40, 3], 64);
  cache.rows.fit([40]);
  cache.rows.copy([{ from: 0, to: 1, length: 35 }]);
  expect([...cache.rows.lengths]).toEqual([40, 35]);
  expectMarks(cache, [0, 0]);
});

test('rows share the beginning that they copy, also where a later copy is shorter, and a cut row gets what is left of it', () => {
  const cache = filled([96, 3, 5], 96, true);
  cache.rows.copy([{ from: 0, to: 1, length: 96 }]);
  expect([...cache.rows.shared!.lengths, ...cache.rows.lengths]).toEqual([96, 0, 0, 0, 5]);
  expectMarks(cache, [0, 0, 2]);
  cache.rows.copy([{ from: 0, to: 2, length: 70 }]);
  expect([...cache.rows.shared!.lengths, ...cache.rows.lengths]).toEqual([64, 0, 32, 32, 6]);
  expectMarks(cache, [0, 0, 0]);
  cache.rows.swap(0, 2);
  cache.rows.fit([6, 32, 32]);
  expect([...cache.rows.capacities]).toEqual([32, 32, 32]);
  const later = reopened(cache, [70, 40, 0]);
  expect([...later.rows.shared!.rows, ...later.rows.lengths]).toEqual([1, 0, 0, 6, 40, 0]);
  expectMarks(later, [0, 0, 0]);
  const last = reopened(later, [0, 40, 0]);
  expect([...last.rows.shared!.lengths, ...last.rows.shared!.rows]).toEqual([0, 0, 0, 0, 0]);
});

test('two beginnings are shared at the same time, and one stays where it is known when the other goes', () => {
  const cache = filled([90, 80, 1, 1, 96], 96, true);
  cache.rows.copy([
    { from: 0, to: 2, length: 64 },
    { from: 1, to: 3, length: 75 },
  ]);
  expect([...cache.rows.shared!.lengths, ...cache.rows.shared!.rows]).toEqual([64, 64, 1, 2, 1, 2, 0]);
  expect([...cache.rows.lengths]).toEqual([26, 16, 0, 11, 96]);
  expectMarks(cache, [0, 1, 0, 1, 4]);
  const block = new Float32Array(2 * heads * 32 * headSize);
  cache.rows.saveBlock(3, 32, block); // the second half of row 1's shared positions
  const places = (array: number, head: number) => Array.from({ length: 32 }, (_, i) => [array, head, 32 + i] as const);
  const saved = [0, 1].flatMap((array) => [0, 1].flatMap((head) => places(array, head)));
  expect([...block]).toEqual(saved.flatMap(([array, head, at]) => [0, 1, 2].map((i) => mark(array, 1, head, at, i))));
  cache.rows.copy([{ from: 4, to: 2, length: 96 }]); // there is no room for a third one
  expect([...cache.rows.lengths]).toEqual([26, 16, 96, 11, 96]);
  expectMarks(cache, [0, 1, 4, 1, 4]);
  const later = reopened(cache, [0, 80, 96, 70, 96]);
  expect([...later.rows.shared!.lengths, ...later.rows.shared!.rows]).toEqual([0, 64, 0, 2, 0, 2, 0]);
  expectMarks(later, [0, 1, 4, 1, 4]);
});

test('swapped rows exchange contents and lengths', () => {
  const cache = filled([2, 9, 4], 32);
  cache.rows.swap(0, 1);
  cache.rows.swap(1, 2);
  cache.rows.settle();
  expect([...cache.rows.lengths]).toEqual([9, 4, 2]);
  expectMarks(cache, [1, 2, 0]);
});

test('more than the arrays hold is refused', () => {
  expect(() => filled([1], 32).rows.fit([129])).toThrow(
    'key-value cache: 129 positions requested, the capacity is at most 128',
  );
});
