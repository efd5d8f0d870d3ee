// Cuts a stream into windows, within which items may be processed in any order.

export type Items<T> = Iterable<T> | AsyncIterable<T>;

/** Yields arrays of `size` consecutive items with the index of the first item; the last array may be shorter. */
export async function* streamChunks<T>(items: Items<T>, size: number): AsyncGenerator<{ start: number; items: T[] }> {
  let window: T[] = [];
  let start = 0;
  for await (const item of items) {
    window.push(item);
    if (window.length < size) continue;
    yield { start, items: window };
    start += window.length;
    window = [];
  }
  if (window.length > 0) yield { start, items: window };
}
