// Searches the memory's documents (observations of stored episodes) by words (BM25) or by the similarity of an encoder's vectors.
import { termsOf } from '../search/analyzer.js';
import { IndexBuilder } from '../search/index-builder.js';
import { SearchIndex } from '../search/search-index.js';

/** An index of documents, which finds them as indices in the list from which it was made. */
export interface MemoryIndex {
  /** Returns the best documents for a query, best first. Documents that share no word with it may be left out. */
  search(query: string, limit: number): Promise<number[]> | number[];
}

export type MakeIndex = (documents: readonly string[]) => Promise<MemoryIndex> | MemoryIndex;

/** Searches as WebShop does: Lucene's English analysis and BM25. Equal documents are ranked by age, the newest first. */
export const bm25Index: MakeIndex = (documents) => {
  const builder = new IndexBuilder();
  for (const document of documents) builder.add(termsOf(document));
  const pieces: Uint8Array[] = [];
  const tables = builder.finish((postings) => pieces.push(postings));
  const postings = Buffer.concat(pieces);
  const newestFirst = Uint32Array.from(documents, (_, i) => documents.length - i);
  return new SearchIndex(tables, (offset, length) => postings.subarray(offset, offset + length), newestFirst);
};

/** Makes an index by cosine similarity. @param embed returns one vector per text, all of the same size and of length 1 */
export const vectorIndex =
  (embed: (texts: readonly string[]) => Promise<Float32Array[]>): MakeIndex =>
  async (documents) => {
    const vectors = await embed(documents);
    return {
      async search(query, limit) {
        const [own] = await embed([query]);
        const similarity = vectors.map((vector) => vector.reduce((sum, value, i) => sum + value * own[i], 0));
        const order = vectors.map((_, i) => i).sort((a, b) => similarity[b] - similarity[a] || b - a);
        return order.slice(0, limit);
      },
    };
  };
