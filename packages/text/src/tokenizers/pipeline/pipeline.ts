// Runs the pipeline of tokenizer.json. Ids and texts equal those of the Rust library `tokenizers`. As there, `truncation` and
// `padding` have no effect unless a caller requests them.
import { AddedTokens } from './added-tokens.js';
import { Bpe } from './bpe.js';
import { decoder, type BytesAs } from './decoders.js';
import { DefinitionError, placed, type TokenizerDefinition } from './definition.js';
import { normalizer } from './normalizers.js';
import { PatternError } from './patterns.js';
import { postProcessor, type PostProcessor } from './post-processors.js';
import { preTokenizer, type PreTokenizer } from './pre-tokenizers.js';
import { SHARE, type TokenModel } from './token-model.js';
import { Unigram } from './unigram.js';
import { WordLevel, WordPiece } from './word-models.js';

const models: Record<string, (model: Readonly<Record<string, unknown>>) => TokenModel> = {
  BPE: (model) => new Bpe(model),
  Unigram: (model) => new Unigram(model),
  WordPiece: (model) => new WordPiece(model),
  WordLevel: (model) => new WordLevel(model),
};

/** Lone surrogates, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Cs}/gu;

/** The largest id allowed. Ids are rows of an embedding, and the largest published vocabularies have about a million. */
const MAX_ID = 2 ** 24 - 1;

function checkedId(id: unknown, token: string): number {
  if (Number.isInteger(id) && (id as number) >= 0 && (id as number) <= MAX_ID) return id as number;
  throw new DefinitionError(
    `its token ${JSON.stringify(token)} has the id ${JSON.stringify(id)}: expected an integer from 0 to ${MAX_ID}`,
  );
}

/** If a field has a wrong type, the error names the component instead of the operation that failed. */
function built<T>(part: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (error instanceof DefinitionError) throw error;
    throw new DefinitionError(`its '${part}' does not have the fields that its type requires`, { cause: error });
  }
}

export class TokenizerPipeline {
  readonly #model: TokenModel;
  readonly #added: AddedTokens;
  readonly #preTokenize: PreTokenizer;
  readonly #postProcess: PostProcessor;
  readonly #decode: (tokens: readonly string[], bytesAs?: BytesAs) => string;
  readonly #tokens: string[] = [];

  /** `file`: for errors about a text. @throws {DefinitionError} for an unsupported component */
  constructor(
    definition: TokenizerDefinition,
    private readonly file = 'tokenizer.json',
  ) {
    this.#model = built('model', () => models[modelType(definition.model)](definition.model));
    for (const [token, id] of this.#model.vocabulary) this.#tokens[checkedId(id, token)] = token;
    const normalize = built('normalizer', () => normalizer(placed(definition.normalizer, 'normalizer')));
    this.#added = built(
      'added_tokens',
      () =>
        new AddedTokens(
          definition.added_tokens ?? [],
          this.#model.vocabulary,
          normalize,
          definition.splits_special_tokens,
        ),
    );
    this.#preTokenize = built('pre_tokenizer', () => preTokenizer(placed(definition.pre_tokenizer, 'pre_tokenizer')));
    this.#postProcess = built('post_processor', () => postProcessor(definition.post_processor));
    this.#decode = built('decoder', () => decoder(placed(definition.decoder, 'decoder')));
    for (const [id, token] of this.#added.spellings) this.#tokens[id] = token;
  }

  /** Returns the largest id plus one. */
  get size(): number {
    return this.#tokens.length;
  }

  /** Returns the number of characters of the longest token. */
  get longestToken(): number {
    return this.#tokens.reduce((longest, token) => Math.max(longest, token.length), 1);
  }

  tokenToId(token: string): number | undefined {
    return this.#added.ids.get(token) ?? this.#model.vocabulary.get(token);
  }

  /**
   * Each `next()` takes about five milliseconds.
   *
   * @param maxTokens the encoding may stop early, with at least this many ids, if the text has more
   */
  *encode(text: string, options?: { special?: boolean; maxTokens?: number }): Generator<undefined, number[]> {
    try {
      return yield* this.#encode(text, options);
    } catch (error) {
      throw this.#ofFile(error);
    }
  }

  *#encode(text: string, { special = false, maxTokens = Infinity } = {}): Generator<undefined, number[]> {
    const ids: number[] = [];
    let share = 0;
    const written = text.replace(LONE_SURROGATE, '\uFFFD');
    if (text.length > SHARE) yield;
    for (const section of this.#added.sections(written)) {
      if ('id' in section) {
        ids.push(section.id);
        continue;
      }
      if (section.text.length > SHARE) yield; // since a long text is normalized in one step
      for (const piece of this.#preTokenize(section.text, section.isFirst)) {
        if (piece === '') continue;
        if (piece.length > SHARE) yield; // since a long piece is found in one step
        yield* this.#model.tokenize(piece, ids);
        share += piece.length;
        if (share < SHARE) continue;
        share = 0;
        if (ids.length >= maxTokens) return ids;
        yield;
      }
    }
    return special ? this.#postProcess(ids) : ids;
  }

  /** Decodes ids; those without a token are ignored. */
  decode(
    ids: ArrayLike<number>,
    { keepsSpecial = false, bytesAs = 'characters' }: { keepsSpecial?: boolean; bytesAs?: BytesAs } = {},
  ): string {
    const tokens: string[] = [];
    for (let i = 0; i < ids.length; i++) {
      const token = this.#tokens[ids[i]] as string | undefined;
      if (token !== undefined && (keepsSpecial || !this.#added.special.has(token))) tokens.push(token);
    }
    try {
      return tokens.length === 0 ? '' : this.#decode(tokens, bytesAs);
    } catch (error) {
      throw this.#ofFile(error);
    }
  }

  #ofFile(error: unknown): unknown {
    return error instanceof PatternError ? new DefinitionError(`${this.file}: ${error.message}`) : error;
  }
}

/** Returns the type of a model, which files before 2020 do not state. */
function modelType(model: Readonly<Record<string, unknown>> | null | undefined): string {
  if (typeof model?.vocab !== 'object' || model.vocab === null)
    throw new DefinitionError('it has no model with a vocabulary');
  const { type, vocab, merges } = model;
  if (typeof type === 'string' && Object.hasOwn(models, type)) return type;
  if (type !== undefined)
    throw new DefinitionError(
      `its model.type ${JSON.stringify(type)} is not supported; known: ${Object.keys(models).join(', ')}`,
    );
  if (Array.isArray(vocab)) return 'Unigram';
  if (merges !== undefined) return 'BPE';
  return 'continuing_subword_prefix' in model ? 'WordPiece' : 'WordLevel';
}
