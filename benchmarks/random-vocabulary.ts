// Makes a tokenizer of the size of real ones, for benchmarks of its cost.
import type { Rng } from '@bowyer/core';

/** Makes byte-level BPE with random merges: each makes one token, of at most 16 bytes; then one of 128 spaces. */
export function tokenizerJson(tokens: number, pattern: string, isNormalized: boolean, rng: Rng): object {
  const bytes = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
  const alphabet = [
    ...bytes,
    ...Array.from({ length: 162 }, (_, i) => String.fromCharCode(i < 68 ? 256 + i : 161 + i - 68)),
  ];
  const list = [...new Set(alphabet)];
  const known = new Set(list);
  const merges: [string, string][] = [];
  while (list.length < tokens) {
    const [left, right] = [
      list[rng.integer(0, list.length - 1)],
      list[rng.integer(0, Math.min(list.length, 4096) - 1)],
    ];
    const merged = left + right;
    if (merged.length > 16 || known.has(merged)) continue;
    known.add(merged);
    list.push(merged);
    merges.push([left, right]);
  }
  list[list.length - 1] = 'Ġ'.repeat(128); // the longest token bounds what a server encodes
  merges.pop();
  const special = [
    '<|endoftext|>',
    '<|im_start|>',
    '<|im_end|>',
    ...Array.from({ length: 80 }, (_, i) => `<|reserved_${i}|>`),
  ];
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  return {
    version: '1.0',
    added_tokens: special.map((content, i) => ({
      id: tokens + i,
      content,
      special: true,
      normalized: false,
      single_word: false,
      lstrip: false,
      rstrip: false,
    })),
    normalizer: isNormalized ? { type: 'NFC' } : null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [{ type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }, byteLevel],
    },
    post_processor: null,
    decoder: byteLevel,
    model: {
      type: 'BPE',
      ignore_merges: true,
      vocab: Object.fromEntries(list.map((token, id) => [token, id])),
      merges,
    },
  };
}
