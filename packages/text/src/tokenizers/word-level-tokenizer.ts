// The tokenizer of the built-in small model: one id a word, so that a 20-question history is about 150 tokens and a
// model of 0.1 M weights can learn it within a minute. It is an ordinary WordLevel tokenizer.json.
import { HuggingFaceTokenizer } from './tokenizer.js';

export type Spelling = 'digits' | 'codes';

interface WordLevelOptions {
  /** Strings that are always one token, e.g. an answer merged with its newline: ` Yes.\n`. Longest match first. */
  wholeTokens?: readonly string[];
  /** Jinja of the chat template that a model learns with; null: none. */
  chatTemplate?: string | null;
  /** Words seen less often become `<unk>`. */
  minCount?: number;
  /**
   * `digits`: each digit is one token, and the space before a number is another: a number that was never seen can be read and
   * written. `codes`: numbers and product numbers are written in pairs of characters, `B0Z3XH8FQ4` as `B0`, `Z3`, `XH`, `8F`, `Q4`.
   */
  spells?: Spelling;
}

/** Ids 0, 1, 2 of every word-level tokenizer. */
const specialTokens = ['<pad>', '<eos>', '<unk>'] as const;

/**
 * Makes a word-level tokenizer whose vocabulary is the words of `texts`, in order of their first appearance.
 *
 * A word keeps the space before it, and so does a punctuation mark; a newline stands alone:
 * `Is it big?\n` → `Is`, ` it`, ` big`, `?`, `\n`. For a text of known words `decode(encode(text))` is the text itself.
 */
export function wordLevelTokenizer(
  texts: Iterable<string>,
  { wholeTokens = [], minCount = 1, spells, chatTemplate = null }: WordLevelOptions = {},
): HuggingFaceTokenizer {
  const pattern = wordPattern(wholeTokens, spells);
  const vocabulary = [...new Set([...specialTokens, ...wholeTokens, ...frequentWords(texts, pattern, minCount)])];
  return new HuggingFaceTokenizer(tokenizerJson(vocabulary, pattern), {
    tokenizer_class: 'PreTrainedTokenizerFast',
    pad_token: '<pad>',
    eos_token: '<eos>',
    unk_token: '<unk>',
    clean_up_tokenization_spaces: false, // Python would else turn ` ?` into `?`
    ...(chatTemplate !== null && { chat_template: chatTemplate }),
  });
}

/** Matches every character of any text, so that nothing is lost between two tokens. */
function wordPattern(wholeTokens: readonly string[], spells?: Spelling): string {
  const longestFirst = [...wholeTokens].sort((a, b) => b.length - a.length);
  const words = spells ? [" ?\\p{L}+(?:'\\p{L}+)*", '\\p{N}'] : [" ?[\\p{L}\\p{N}]+(?:'\\p{L}+)*"];
  const capital = "\\p{Lu}(?![\\p{Ll}'])"; // of a code, not of a word
  if (spells === 'codes') words.unshift(`[\\p{Lu}\\p{N}](?:\\p{N}|${capital})`, ` ?${capital}`);
  return [...longestFirst.map(escapeForRegex), ...words, ' ?[^\\s\\p{L}\\p{N}]', '\\s'].join('|');
}

/** Escapes what is special in both JavaScript's and Rust's (Oniguruma) patterns; a hyphen is so only within brackets. */
const escapeForRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\n', '\\n');

/** Lists words of at least `minCount` appearances, by first appearance. */
function frequentWords(texts: Iterable<string>, pattern: string, minCount: number): string[] {
  const counts = new Map<string, number>();
  const regex = new RegExp(pattern, 'gu');
  for (const text of texts) {
    for (const [word] of text.matchAll(regex)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= minCount).map(([word]) => word);
}

/** Makes a tokenizer.json (https://huggingface.co/docs/tokenizers), model WordLevel; the decoder joins tokens without a space. */
const tokenizerJson = (vocabulary: readonly string[], pattern: string) => ({
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: specialTokens.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
  post_processor: null,
  decoder: { type: 'Fuse' },
  model: {
    type: 'WordLevel',
    vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
    unk_token: '<unk>',
  },
});
