// Lists the tokens of a vocabulary in the order of their ids, with llama.cpp's types of tokens.
import type { HuggingFaceTokenizer } from '@bowyer/text';
import type { Entries } from './gguf-file.js';

/** llama.cpp's codes of token types. */
export const KIND = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

type Kind = (typeof KIND)[keyof typeof KIND];

/** The tokens in the order of their ids. */
export interface Tokens {
  spellings: string[];
  kinds: Kind[];
}

/** Lists as many tokens as the embedding has rows; rows without a token get a spelling that does not occur in texts. */
export function tokensOf(
  tokenizer: HuggingFaceTokenizer,
  vocabulary: Readonly<Record<string, number>>,
  rows: number,
): Tokens {
  const spellings = new Array<string | undefined>(rows);
  const kinds = new Array<Kind>(rows).fill(KIND.unused);
  const set = (id: number, spelling: string, kind: Kind) => {
    spellings[id] = spelling;
    kinds[id] = kind;
  };
  for (const [spelling, id] of Object.entries(vocabulary)) set(id, spelling, KIND.normal);
  for (const { content, special } of tokenizer.addedTokens) {
    const id = tokenizer.tokenToId(content);
    if (id !== undefined) set(id, content, special ? KIND.control : KIND.userDefined);
  }
  return { spellings: Array.from(spellings, (spelling, id) => spelling ?? `[PAD${id}]`), kinds };
}

export const tokenEntries = ({ spellings, kinds }: Tokens): Entries => ({
  'tokenizer.ggml.tokens': { type: 'strings', value: spellings },
  'tokenizer.ggml.token_type': { type: 'int32s', value: kinds },
});

/** Returns notes for the user on properties of added tokens that llama.cpp ignores. */
export function addedTokenNotes({ addedTokens }: HuggingFaceTokenizer): string[] {
  const odd = addedTokens.filter(({ lstrip, rstrip, single_word }) => lstrip || rstrip || single_word);
  if (odd.length === 0) return [];
  const names = odd.slice(0, 3).map(({ content }) => JSON.stringify(content));
  return [
    `${odd.length} added tokens take the white space beside them or stand alone (${names.join(', ')}${odd.length > 3 ? ', …' : ''}), which llama.cpp ignores`,
  ];
}
