// Declares tokenizers in Hugging Face's tokenizer.json format, and loads them from a directory. The algorithms are in pipeline/.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from '../steps.js';
import { asTransformersLoadsIt, spelling } from './loaded-definition.js';
import { unescapedBytes } from './pipeline/escaped-bytes.js';
import type { AddedToken, TokenizerDefinition } from './pipeline/definition.js';
import { TokenizerPipeline } from './pipeline/pipeline.js';

/** Converts between texts and token ids. */
export interface Tokenizer {
  /** The number of rows that an embedding needs: the largest id plus one. */
  readonly vocabSize: number;
  /** The end-of-text token (BERT: `[SEP]`); −1 if the tokenizer has none. */
  readonly eosTokenId: number;
  /** The padding token; the end-of-text token if the tokenizer has none, as in GPT-2. */
  readonly padTokenId: number;
  /** The number of characters of the longest token in the vocabulary; a text of n tokens rarely has more than n times as many. */
  readonly longestToken: number;
  /** The fields of tokenizer_config.json, if the tokenizer has one. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Returns the ids of the text alone, without begin, end or separator tokens. */
  encode(text: string): number[];
  /** Returns the ids of the text with the tokens that the post-processor adds, such as `[CLS]` or `<s>`, as in the model's training. */
  encodeWithSpecials(text: string): number[];
  /**
   * Computes `encode` or `encodeWithSpecials` in steps, between which a server can serve other requests.
   *
   * @param options.special as in `encodeWithSpecials`
   * @param options.maxTokens the encoding may stop early, with at least this many ids, if the text has more
   */
  encodeInSteps(text: string, options?: { special?: boolean; maxTokens?: number }): Generator<undefined, number[]>;
  decode(ids: ArrayLike<number>, options?: DecodeOptions): string;
  /** Decodes tokens to UTF-8 bytes, with special tokens as text. Parts of characters become their bytes. */
  decodeBytes(ids: ArrayLike<number>): Uint8Array;
  /** Returns the id of a token by its spelling in the vocabulary, e.g. `Ġthe`. */
  tokenToId(token: string): number | undefined;
  /**
   * Writes `tokenizer.json` and `tokenizer_config.json`, which `loadTokenizer` and Python can read.
   *
   * @param write if not given, files are written directly, so that another process may see an incomplete file
   */
  save(dir: string, write?: FileWriter): Promise<void>;
}

/** Writes a whole file, and creates its folder if necessary. */
type FileWriter = (path: string, content: string) => Promise<void>;

export interface DecodeOptions {
  /** Whether `</s>`, `[CLS]` and other special tokens are kept in the text. */
  keepSpecialTokens?: boolean;
  /**
   * Whether ` ?` becomes `?`, ` n't` becomes `n't` and so on, as with Python's `clean_up_tokenization_spaces`. Off by default,
   * whatever the config says, since decoded actions must be encoded to the same ids again.
   */
  cleanUpSpaces?: boolean;
}

type JsonObject = Record<string, unknown>;

/** A tokenizer in the format of Hugging Face, made from the contents of tokenizer.json and tokenizer_config.json. */
export class HuggingFaceTokenizer implements Tokenizer {
  readonly vocabSize: number;
  readonly eosTokenId: number;
  readonly padTokenId: number;
  readonly longestToken: number;
  /** Recognized before the model sees a text, including those that tokenizer_config.json names. */
  readonly addedTokens: readonly AddedToken[];
  readonly #pipeline: TokenizerPipeline;

  /** Builds the tokenizer's pipeline, and finds its special tokens. `path`: of tokenizer.json, for errors about a text. */
  constructor(
    readonly definition: JsonObject,
    readonly config: JsonObject,
    path = 'tokenizer.json',
  ) {
    const loaded = asTransformersLoadsIt(definition as JsonObject & TokenizerDefinition, config);
    this.#pipeline = new TokenizerPipeline(loaded, path);
    this.vocabSize = this.#pipeline.size;
    this.longestToken = this.#pipeline.longestToken;
    this.addedTokens = loaded.added_tokens ?? [];
    const eos = this.specialTokenId('eos_token') ?? this.specialTokenId('sep_token') ?? -1;
    this.eosTokenId = eos;
    this.padTokenId = this.specialTokenId('pad_token') ?? eos;
  }

  encode(text: string): number[] {
    return finished(this.#pipeline.encode(text));
  }

  encodeWithSpecials(text: string): number[] {
    return finished(this.#pipeline.encode(text, { special: true }));
  }

  encodeInSteps(text: string, options?: { special?: boolean; maxTokens?: number }): Generator<undefined, number[]> {
    return this.#pipeline.encode(text, options);
  }

  decode(ids: ArrayLike<number>, { keepSpecialTokens = false, cleanUpSpaces = false }: DecodeOptions = {}): string {
    const text = this.#pipeline.decode(ids, { keepsSpecial: keepSpecialTokens });
    return cleanUpSpaces ? withoutSpacesBeforePunctuation(text) : text;
  }

  decodeBytes(ids: ArrayLike<number>): Uint8Array {
    return unescapedBytes(this.#pipeline.decode(ids, { keepsSpecial: true, bytesAs: 'escapes' }));
  }

  tokenToId(token: string): number | undefined {
    return this.#pipeline.tokenToId(token);
  }

  async save(dir: string, write: FileWriter = writeInFolder): Promise<void> {
    await write(join(dir, 'tokenizer.json'), JSON.stringify(this.definition, null, 2));
    await write(join(dir, 'tokenizer_config.json'), JSON.stringify(this.config, null, 2));
  }

  /** Returns the id of the token that tokenizer_config.json names for a role, such as `bos_token`. */
  specialTokenId(role: string): number | undefined {
    const token = spelling(this.config[role]);
    return token === undefined ? undefined : this.tokenToId(token);
  }
}

async function writeInFolder(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Cleans up spaces like Python's `clean_up_tokenization`. */
const withoutSpacesBeforePunctuation = (text: string): string =>
  text
    .replace(/ ([.?!,])/g, '$1')
    .replaceAll(" ' ", "'")
    .replaceAll(" n't", "n't")
    .replace(/ '(m|s|ve|re)/g, "'$1");

const FURTHER_TEMPLATES = 'additional_chat_templates';

/** The supported model types of tokenizer.json; files before 2020 do not state one. */
const KINDS: readonly string[] = ['BPE', 'WordPiece', 'Unigram', 'WordLevel'];

/** Loads `tokenizer.json` and, if present, `tokenizer_config.json` and `special_tokens_map.json` from a directory. */
export async function loadTokenizer(
  dir: string,
  { chatTemplate = null, templatesOf = dir }: TemplateChoice = {},
): Promise<HuggingFaceTokenizer> {
  if (!(await stat(dir).catch(() => null))?.isDirectory()) {
    throw new TokenizerFileError(dir, 'is not a directory', 'give the directory of a Hugging Face model');
  }
  const definition = await readJson(join(dir, 'tokenizer.json'));
  if (!definition) {
    throw new TokenizerFileError(
      join(dir, 'tokenizer.json'),
      'does not exist',
      'vocab.json with merges.txt or a sentencepiece model alone is not enough; save the model with a fast tokenizer',
    );
  }
  const kind = (definition.model as { type?: string } | null | undefined)?.type;
  if (kind !== undefined && !KINDS.includes(kind))
    throw new TokenizerFileError(
      join(dir, 'tokenizer.json'),
      `has a model.type of ${JSON.stringify(kind)}, which is not supported`,
      `known: ${KINDS.join(', ')}`,
    );
  const own = (await readJson(join(dir, 'tokenizer_config.json'))) ?? {};
  // special_tokens_map.json is from older releases; transformers ignores it if there is an added_tokens_decoder.
  const specials = 'added_tokens_decoder' in own ? {} : await readJson(join(dir, 'special_tokens_map.json'));
  const template = chatTemplate ?? (await chatTemplatesIn(templatesOf)) ?? (await keptTemplate(dir, templatesOf));
  const config = {
    ...own,
    ...specials,
    ...(template !== null && { chat_template: template }),
  };
  try {
    return new HuggingFaceTokenizer(definition, config, join(dir, 'tokenizer.json'));
  } catch (error) {
    throw new TokenizerFileError(
      join(dir, 'tokenizer.json'),
      `cannot be used: ${(error as Error).message}`,
      'see packages/text/README.md for the kinds that work',
    );
  }
}

interface TemplateChoice {
  /** A Jinja source that replaces the directory's templates; null: they are kept. */
  chatTemplate?: string | null;
  /** A directory whose templates take precedence, such as that of an adapter trained with them. */
  templatesOf?: string;
}

async function keptTemplate(dir: string, templatesOf: string): Promise<unknown> {
  if (templatesOf === dir) return null;
  return (await readJson(join(templatesOf, 'tokenizer_config.json')))?.chat_template ?? null;
}

/** Newer models have a template file, and a folder of further templates by name. */
async function chatTemplatesIn(dir: string): Promise<string | { name: string; template: string }[] | null> {
  const template = await readFile(join(dir, 'chat_template.jinja'), 'utf8').catch(() => null);
  const files = await readdir(join(dir, FURTHER_TEMPLATES)).catch((): string[] => []);
  const further = await Promise.all(
    files
      .filter((file) => file.endsWith('.jinja'))
      .sort()
      .map(async (file) => ({
        name: file.replace(/\.jinja$/, ''),
        template: await readFile(join(dir, FURTHER_TEMPLATES, file), 'utf8'),
      })),
  );
  if (further.length === 0) return template;
  return [...(template === null ? [] : [{ name: 'default', template }]), ...further];
}

/** Thrown for a tokenizer file that is missing or unusable. */
class TokenizerFileError extends Error {
  override readonly name = 'TokenizerFileError';

  constructor(
    readonly path: string,
    problem: string,
    advice: string,
  ) {
    super([`Tokenizer: ${path} ${problem}`, `  ${advice}`].join('\n'));
  }
}

/** Reads and parses a JSON file; undefined if the file does not exist. */
async function readJson(path: string): Promise<JsonObject | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new TokenizerFileError(path, `is not JSON: ${(error as Error).message}`, 'download the file again');
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new TokenizerFileError(path, `is not a JSON object: ${text.trim().slice(0, 40)}`, 'download the file again');
  return json as JsonObject;
}
