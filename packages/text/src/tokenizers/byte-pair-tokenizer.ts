// Trains a byte-level BPE tokenizer on texts, for a new model.
// Source: Sennrich et al. 2016 (arXiv:1508.07909), algorithm 1, over bytes in GPT-2's alphabet. The tokenizer.json has GPT-2's
// form, which llama.cpp and transformers read.
import { bytesAsText, CHAR_OF_BYTE } from './pipeline/byte-level.js';
import { HuggingFaceTokenizer } from './tokenizer.js';

interface BytePairOptions {
  /** The largest number of tokens of the vocabulary. The tokens for bytes and `wholeTokens` are always included. */
  size: number;
  endToken: string;
  /** Texts that are always single tokens; the longest match counts. */
  wholeTokens?: readonly string[];
  /** The Jinja source of the chat template; null: none. */
  chatTemplate?: string | null;
  /** The largest number of tokens that the model reads; tokenizer_config.json contains it. */
  contextLength?: number;
}

const PAD = '<pad>';

/** Matches words and punctuation. Spaces and digits are never merged, so that a word or a number has the same tokens everywhere. */
const WORDS = /\p{L}+|[^\s\p{L}\p{N}]+/gu;

/** Makes a tokenizer whose tokens are single bytes, the given texts, and merges for words of `texts` that occur more than once. */
export function bytePairTokenizer(
  texts: Iterable<string>,
  { size, endToken, wholeTokens = [], chatTemplate = null, contextLength }: BytePairOptions,
): HuggingFaceTokenizer {
  const special = [PAD, endToken];
  const added = [...new Set([...special, ...wholeTokens])];
  const merges = learnMerges(texts, Math.max(0, size - CHAR_OF_BYTE.length - added.length));
  const tokens = [...new Set([...added, ...CHAR_OF_BYTE, ...merges.map((pair) => pair.join(''))])];
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const definition = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: special.includes(content),
    })),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: null,
    decoder: byteLevel,
    model: { type: 'BPE', vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges },
  };
  return new HuggingFaceTokenizer(definition, {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: PAD,
    eos_token: endToken,
    clean_up_tokenization_spaces: false, // otherwise Python would decode ` ?` as `?`
    ...(contextLength !== undefined && { model_max_length: contextLength }),
    ...(chatTemplate !== null && { chat_template: chatTemplate }),
  });
}

/** A word of the training texts: the tokens of which it consists at present, and its number of occurrences. */
interface Word {
  tokens: string[];
  count: number;
}

type Pair = [first: string, second: string];

/**
 * Learns at most `most` merges, each of the pair that is most frequent after the earlier ones; of equally frequent pairs, the
 * first that was seen.
 */
function learnMerges(texts: Iterable<string>, most: number): Pair[] {
  const words = wordsOf(texts);
  const pairs = new PairCounts();
  for (const word of words) pairs.add(word, 1);
  const merges: Pair[] = [];
  while (merges.length < most) {
    const pair = pairs.mostFrequent();
    if (pair === null) break;
    merges.push(pair);
    for (const word of pairs.wordsWith(pair)) {
      pairs.add(word, -1);
      merge(word.tokens, pair);
      pairs.add(word, 1);
    }
  }
  return merges;
}

function wordsOf(texts: Iterable<string>): Word[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => ({ tokens: [...bytesAsText(word)], count }));
}

function merge(tokens: string[], [first, second]: Pair): void {
  for (let i = tokens.length - 2; i >= 0; i--)
    if (tokens[i] === first && tokens[i + 1] === second) tokens.splice(i, 2, first + second);
}

class PairCounts {
  readonly #pairs = new Map<string, { count: number; words: Set<Word> }>();

  /** Counts the pairs of a word. `sign`: 1 adds the word's pairs, -1 removes them. */
  add(word: Word, sign: 1 | -1): void {
    for (let i = 1; i < word.tokens.length; i++) {
      const key = `${word.tokens[i - 1]} ${word.tokens[i]}`;
      const pair = this.#pairs.get(key) ?? { count: 0, words: new Set() };
      this.#pairs.set(key, pair);
      pair.count += sign * word.count;
      if (sign > 0) pair.words.add(word);
      else pair.words.delete(word);
      if (pair.words.size === 0) this.#pairs.delete(key);
    }
  }

  /** Finds the most frequent pair of adjacent tokens; null if no pair occurs twice. */
  mostFrequent(): Pair | null {
    let best: { key: string; count: number } | null = null;
    for (const [key, { count }] of this.#pairs) if (count > (best?.count ?? 1)) best = { key, count };
    return best === null ? null : (best.key.split(' ') as Pair);
  }

  wordsWith(pair: Pair): Word[] {
    return [...this.#pairs.get(pair.join(' '))!.words];
  }
}
