// Makes tokenizer.json for a SentencePiece BPE that is given by its pieces (tokens) and their scores, as transformers converts Llama's.

/** SentencePiece's symbol for a space. */
export const SPACE_SYMBOL = '▁';

/** A token of a SentencePiece vocabulary, by its spelling. */
export interface ScoredPiece {
  text: string;
  score: number;
}

interface DefinitionOptions {
  unknown: string;
  /** Whether a space is put before each text. */
  addsPrefix: boolean;
  /** Whether unknown characters are encoded as the tokens of their bytes. */
  hasBytes: boolean;
}

/**
 * Returns the parts of tokenizer.json that follow from the pieces: model, normalizer and decoder.
 *
 * @param vocabulary ids by spelling
 * @param made the pieces that are made by merges
 */
export function sentencePieceDefinition(
  vocabulary: ReadonlyMap<string, number>,
  made: readonly ScoredPiece[],
  { unknown, addsPrefix, hasBytes }: DefinitionOptions,
) {
  // The merges are all pairs of pieces that make up a piece, those of the piece with the best score first, as transformers
  // converts Llama's tokenizer.
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

/** Lists all pairs of pieces that make up a piece, as merges. */
function splitsOf(piece: string, ids: ReadonlyMap<string, number>): string[] {
  const characters = [...piece];
  return characters.slice(1).flatMap((_, i) => {
    const [left, right] = [characters.slice(0, i + 1).join(''), characters.slice(i + 1).join('')];
    return ids.has(left) && ids.has(right) ? [`${left} ${right}`] : [];
  });
}

/** Returns the post-processor that adds a token, given with its id, before and after each text; null adds none. */
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

/** Returns an entry of `added_tokens`. */
export const addedToken = (id: number, content: string, special: boolean) => ({
  id,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special,
});
