// Computes BM25, the score of a document for a query, with Lucene's rounding: 32-bit floats, and document lengths in one byte.
//
//     score(q, d) = Σ over terms t of q:  n_q(t) · idf(t) · f / (f + k1 · (1 − b + b · |d| / mean |d|))
//     idf(t) = ln(1 + (N − n + ½) / (n + ½)),   f = occurrences of t in d, n = documents with t, N = documents
//
// Source: Lucene's BM25Similarity (Robertson and Zaragoza 2009, doi:10.1561/1500000019) and SmallFloat. The factor k1 + 1 is left
// out as in Lucene since version 8. k1 and b are Pyserini's defaults, which WebShop uses.

const K1 = Math.fround(0.9);
const B = Math.fround(0.4);

/** Smaller document lengths are stored exactly in a byte; larger ones keep four significant bits. */
const EXACT_LENGTHS = 24;

const bitLength = (value: number): number => 32 - Math.clz32(value);

/** Encodes a document's length in one byte. @param length number of the document's terms */
export function lengthCode(length: number): number {
  if (length < EXACT_LENGTHS) return length;
  const rest = length - EXACT_LENGTHS;
  if (bitLength(rest) < 4) return EXACT_LENGTHS + rest;
  const shift = bitLength(rest) - 4;
  return EXACT_LENGTHS + (((rest >>> shift) & 7) | ((shift + 1) << 3));
}

export function codedLength(code: number): number {
  if (code < EXACT_LENGTHS) return code;
  const [bits, shift] = [(code - EXACT_LENGTHS) & 7, ((code - EXACT_LENGTHS) >>> 3) - 1];
  return EXACT_LENGTHS + (shift === -1 ? bits : (bits | 8) * 2 ** shift);
}

export interface Collection {
  documents: number;
  terms: number;
}

/** Returns, for each of the 256 codes of a document length, the factor 1 / (k1 · (1 − b + b · |d| / mean |d|)) of the score. */
export function inverseNorms({ documents, terms }: Collection): Float32Array {
  const meanLength = Math.fround(terms / documents);
  return Float32Array.from({ length: 256 }, (_, code) => 1 / (K1 * (1 - B + (B * codedLength(code)) / meanLength)));
}

export const inverseDocumentFrequency = (documents: number, withTerm: number): number =>
  Math.fround(Math.log(1 + (documents - withTerm + 0.5) / (withTerm + 0.5)));

/** Returns the contribution of one query term to a document's score. @param weight occurrences of the term in the query · idf */
export const termScore = (weight: number, frequency: number, inverseNorm: number): number =>
  Math.fround(weight - weight / Math.fround(1 + Math.fround(frequency * inverseNorm)));
