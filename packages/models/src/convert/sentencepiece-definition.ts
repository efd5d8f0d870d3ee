// Makes tokenizer.json for a SentencePiece BPE tokenizer from its pieces (tokens) and their scores, in the way in which
// transformers converts Llama's tokenizer.

/** SentencePiece's symbol for a space. */
export const SPACE_SYMBOL = '▁';

/** A token of a SentencePiece vocabulary: its spelling and its score. */
export interface ScoredPiece {
  text: string;
  score: number;
}

interface DefinitionOptions {
  unknown: string;
  /** Whether the tokenizer puts a space before each text. */
  addsPrefix: boolean;
  /** Whether characters without a token are encoded as the tokens of their bytes. */
  hasBytes: boolean;
}

/**
 * Returns the parts of tokenizer.json that follow from the pieces (tokens): model, normalizer and decoder.
 *
 * @param vocabulary ids by spelling
 * @param made the pieces that BPE merges produce, without special tokens and bytes
 */
export function sentencePieceDefinition(
  vocabulary: ReadonlyMap<string, number>,
  made: readonly ScoredPiece[],
  { unknown, addsPrefix, hasBytes }: DefinitionOptions,
) {
  // As in transformers' conversion: all pairs of pieces that spell a piece are merges, the piece with the best score first.
  const merges = [...made].sort((a, b) => b.score - a.score).flatMap(({ text }) => splitsOf(text, vocabulary));
  return {
    normalizer: {
      type: 'Sequence',
      normalizers: [
        ...(addsPrefix ? [{ type: 'Prepend', prepend: SPACE_SYMBOL }] : []),
        { type: 'Replace', pattern: { String: ' ' }, content: SPACE_SYMBOL },
      ],
    },
    pre_tokenizer: null,
    decoder: {
      type: 'Sequence',
      decoders: [
        { type: 'Replace', pattern: { String: SPACE_SYMBOL }, content: ' ' },
        ...(hasBytes ? [{ type: 'ByteFallback' }] : []),
        { type: 'Fuse' },
        ...(addsPrefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
      ],
    },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: unknown,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback: hasBytes,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary),
      merges,
    },
  };
}

/** Lists all pairs of pieces that together spell the given piece, as merges of BPE. */
function splitsOf(piece: string, ids: ReadonlyMap<string, number>): string[] {
  const characters = [...piece];
  return characters.slice(1).flatMap((_, i) => {
    const [left, right] = [characters.slice(0, i + 1).join(''), characters.slice(i + 1).join('')];
    return ids.has(left) && ids.has(right) ? [`${left} ${right}`] : [];
  });
}

/** The post-processor of tokenizer.json that adds a token (spelling and id) before and after each text; null adds none. */
export function aroundTexts(before: readonly [string, number] | null, after: readonly [string, number] | null) {
  const special = (token: readonly [string, number] | null, type: number) =>
    token === null ? [] : [{ SpecialToken: { id: token[0], type_id: type } }];
  const around = (id: string, type: number) => [
    ...special(before, type),
    { Sequence: { id, type_id: type } },
    ...special(after, type),
  ];
  const named = [before, after].filter((token) => token !== null);
  return {
    type: 'TemplateProcessing',
    single: around('A', 0),
    pair: [...around('A', 0), ...around('B', 1)],
    special_tokens: Object.fromEntries(named.map(([token, id]) => [token, { id: token, ids: [id], tokens: [token] }])),
  };
}

export const addedToken = (id: number, content: string, special: boolean) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special,
});
