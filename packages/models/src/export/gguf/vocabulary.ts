// Writes a tokenizer as metadata of a GGUF file: its vocabulary, the special tokens, and its chat templates.
import type { HuggingFaceTokenizer } from '@bowyer/text';
import { byteLevelBpe, isByteLevel } from './byte-level-bpe.js';
import { count, flag, text, type Entries } from './gguf-file.js';
import { sentencePiece } from './sentencepiece.js';
import type { VocabularyPart } from './tokenizer-parts.js';
import { areCharacters, characters, unigram } from './unigram.js';

interface VocabularyOptions {
  /** The number of rows of the embedding. */
  rows: number;
  /** The ids of the tokens that end texts, the usual one first. */
  ends: readonly number[];
  /** Makes the error for something that llama.cpp cannot express. */
  fail: (problem: string) => Error;
}

export function vocabularyPart(tokenizer: HuggingFaceTokenizer, options: VocabularyOptions): VocabularyPart {
  const { rows, fail } = options;
  const kind = kindOf(tokenizer, fail)(tokenizer, rows, fail);
  const ends = endEntries(options.ends);
  return {
    entries: { ...kind.entries, ...roleEntries(tokenizer, fail), ...ends.entries, ...templateEntries(tokenizer) },
    notes: [...kind.notes, ...ends.notes],
  };
}

function kindOf(tokenizer: HuggingFaceTokenizer, fail: VocabularyOptions['fail']) {
  const { type, vocab } = tokenizer.definition.model as { type?: string; vocab: unknown };
  if (type === 'Unigram' || (type === undefined && Array.isArray(vocab))) return unigram;
  if (type === 'BPE' || type === undefined) {
    if (isByteLevel(tokenizer)) return byteLevelBpe;
    return areCharacters(tokenizer) ? characters : sentencePiece;
  }
  throw fail(`its tokenizer is ${type}, which llama.cpp does not have for such models: it has BPE and Unigram`);
}

/** Returns the entries that name the padding token, and the tokens that the tokenizer adds before and after a text. */
function roleEntries(tokenizer: HuggingFaceTokenizer, fail: (problem: string) => Error): Entries {
  const idOf = (role: string) => tokenizer.specialTokenId(role);
  const [plain, whole] = [tokenizer.encode('a'), tokenizer.encodeWithSpecials('a')];
  const at =
    whole.join() === plain.join()
      ? 0
      : whole.findIndex((_, i) => whole.slice(i, i + plain.length).join() === plain.join());
  const [before, after] = [whole.slice(0, at), whole.slice(at + plain.length)];
  const [bos, eos] = [before[0] ?? idOf('bos_token'), after[0] ?? idOf('eos_token')];
  if (at < 0 || before.length > 1 || after.length > 1)
    throw fail('its tokenizer adds more than one token before or after a text, which llama.cpp does not');
  const pad = idOf('pad_token');
  return {
    ...(bos !== undefined && { 'tokenizer.ggml.bos_token_id': count(bos) }),
    ...(eos !== undefined && { 'tokenizer.ggml.eos_token_id': count(eos) }),
    ...(pad !== undefined && { 'tokenizer.ggml.padding_token_id': count(pad) }),
    'tokenizer.ggml.add_bos_token': flag(before.length > 0),
    'tokenizer.ggml.add_eos_token': flag(after.length > 0),
  };
}

/** llama.cpp's names for tokens that end texts. */
const END_ROLES = ['eos', 'eot', 'eom'];

function endEntries(ends: readonly number[]): VocabularyPart {
  const entries = Object.fromEntries(
    ends.slice(0, END_ROLES.length).map((id, i) => [`tokenizer.ggml.${END_ROLES[i]}_token_id`, count(id)]),
  );
  const left = ends.slice(END_ROLES.length);
  const notes =
    left.length === 0
      ? []
      : [`GGUF names at most ${END_ROLES.length} tokens that end a text; left out: ${left.join(', ')}`];
  return { entries, notes };
}

/** Reads `chat_template`: one template, or a list of named ones. */
function templateEntries({ config }: HuggingFaceTokenizer): Entries {
  const given = config.chat_template;
  if (typeof given === 'string') return { 'tokenizer.chat_template': text(given) };
  if (!Array.isArray(given)) return {};
  const named = (given as { name: string; template: string }[]).filter(({ name }) => name !== 'default');
  const main = (given as { name: string; template: string }[]).find(({ name }) => name === 'default');
  return {
    ...(main && { 'tokenizer.chat_template': text(main.template) }),
    ...(named.length > 0 && { 'tokenizer.chat_templates': { type: 'strings', value: named.map(({ name }) => name) } }),
    ...Object.fromEntries(named.map(({ name, template }) => [`tokenizer.chat_template.${name}`, text(template)])),
  };
}
