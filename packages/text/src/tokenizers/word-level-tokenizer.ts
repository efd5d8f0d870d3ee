// Makes the tokenizer of the built-in small model, in which each word is one token, so that a model with 0.1 M weights can learn
// a dialogue of twenty questions (about 150 tokens) within a minute.
import { escapeForRegex } from './pipeline/patterns.js';
import { HuggingFaceTokenizer } from './tokenizer.js';

export type Spelling = 'digits' | 'codes';

interface WordLevelOptions {
  /** Texts that are always one token, e.g. an answer merged with its newline: ` Yes.\n`. The longest match counts. */
  wholeTokens?: readonly string[];
  /** The Jinja source of the chat template that a model is trained with; null: none. */
  chatTemplate?: string | null;
  /** Words with fewer occurrences become `<unk>`. */
  minCount?: number;
  /**
   * How numbers are split. `digits`: each digit is a token, and so is the space before a number, so that unseen numbers can be
   * read and written. `codes`: numbers and product numbers are split into pairs of characters, `B0Z3XH8FQ4` into `B0`, `Z3`,
   * `XH`, `8F`, `Q4`.
   */
  spells?: Spelling;
}

/** The tokens with ids 0, 1, 2 in every word-level tokenizer. */
const specialTokens = ['<pad>', '<eos>', '<unk>'] as const;

/**
 * Makes a word-level tokenizer whose vocabulary is the words of `texts`, in order of their first occurrence.
 *
 * A word or punctuation mark includes the space before it; a newline is separate: `Is it big?\n` → `Is`, ` it`, ` big`, `?`, `\n`. For
 * a text of known words, `decode(encode(text))` is the text itself.
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
    clean_up_tokenization_spaces: false, // otherwise Python would decode ` ?` as `?`
    ...(chatTemplate !== null && { chat_template: chatTemplate }),
  });
}

/** Matches every character of any text, so that nothing is lost between two tokens. */
function wordPattern(wholeTokens: readonly string[], spells?: Spelling): string {
  const longestFirst = [...wholeTokens].sort((a, b) => b.length - a.length);
  const words = spells ? [" ?\\p{L}+(?:'\\p{L}+)*", '\\p{N}'] : [" ?[\\p{L}\\p{N}]+(?:'\\p{L}+)*"];
  const capital = "\\p{Lu}(?![\\p{Ll}'])"; // a capital letter of a product number, not of a word
  if (spells === 'codes') words.unshift(`[\\p{Lu}\\p{N}](?:\\p{N}|${capital})`, ` ?${capital}`);
  return [
    ...longestFirst.map((whole) => escapeForRegex(whole).replaceAll('\n', '\\n')),
    ...words,
    ' ?[^\\s\\p{L}\\p{N}]',
    '\\s',
  ].join('|');
}

/** Lists words with at least `minCount` occurrences, in order of their first occurrence. */
function frequentWords(texts: Iterable<string>, pattern: string, minCount: number): string[] {
  const counts = new Map<string, number>();
  const regex = new RegExp(pattern, 'gu');
  for (const text of texts) {
    for (const [word] of text.matchAll(regex)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= minCount).map(([word]) => word);
}

/** https://huggingface.co/docs/tokenizers; the decoder joins tokens without spaces. */
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
