// Writes a unigram model of SentencePiece (T5, XGLM and others), which llama.cpp reads under the name `t5`: it normalizes a text with the
// character table, marks spaces, and finds the tokens with the largest sum of scores, as the tokenizer itself does. A vocabulary of single
// characters can be written as a unigram model too, with any scores.
import { maximum } from '@bowyer/core';
import type { HuggingFaceTokenizer } from '@bowyer/text';
import { count, flag, text, type Entries } from './gguf-file.js';
import { componentsOf, refuseOdd, type BpeModel, type Component, type VocabularyPart } from './tokenizer-parts.js';
import { addedTokenNotes, KIND, tokenEntries, tokensOf, type Tokens } from './tokens.js';

type Fail = (problem: string) => Error;

interface UnigramModel {
  vocab: readonly (readonly [string, number])[];
  unk_id?: number | null;
  [field: string]: unknown;
  byte_fallback?: boolean;
}

const SPACE = '▁';
/** The score of rows without a token. llama.cpp may choose them too, but any other tokenization of a text scores better. */
const NEVER = -1e30;

export const unigram = (tokenizer: HuggingFaceTokenizer, rows: number, fail: Fail): VocabularyPart =>
  unigramOf(tokenizer, tokenizer.definition.model as UnigramModel, rows, fail);

/** Writes a BPE without merges and byte fallback as a unigram model. */
export function characters(tokenizer: HuggingFaceTokenizer, rows: number, fail: Fail): VocabularyPart {
  const model = tokenizer.definition.model as BpeModel;
  refuseOdd(model, ['ignore_merges'], fail);
  const unknown = model.unk_token ?? '';
  const ordered = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
  const vocab = ordered.map(([spelling]) => [spelling, spelling === unknown ? 0 : -1] as const);
  return unigramOf(tokenizer, { vocab, unk_id: model.vocab[unknown] }, rows, fail);
}

/**
 * Returns whether a tokenizer only splits texts into characters: every token is one character or a special token, consecutive unknown
 * characters become one token, and ids have no gaps.
 */
export function areCharacters({ definition, addedTokens }: HuggingFaceTokenizer): boolean {
  const {
    vocab,
    merges,
    byte_fallback: hasBytes,
    fuse_unk: isFused,
    unk_token: unknown,
  } = definition.model as BpeModel;
  const special = new Set(addedTokens.filter((token) => token.special).map(({ content }) => content));
  const entries = Object.entries(vocab);
  const isWhole = maximum(entries.map(([, id]) => id)) === entries.length - 1;
  const areSingle = entries.every(([token]) => special.has(token) || [...token].length === 1);
  return (
    merges.length === 0 && hasBytes !== true && isFused === true && (unknown ?? '') in vocab && isWhole && areSingle
  );
}

function unigramOf(tokenizer: HuggingFaceTokenizer, model: UnigramModel, rows: number, fail: Fail): VocabularyPart {
  const steps = stepsOf(tokenizer, fail);
  const unknown = unknownId(model, fail);
  refuseBytes(model, fail);
  if (steps.cutsAtSpaces) refuseTokensOverSpaces(model, fail);
  const vocabulary = Object.fromEntries(model.vocab.map(([spelling], id) => [spelling, id]));
  const tokens = tokensOf(tokenizer, vocabulary, rows);
  tokens.kinds[unknown] = KIND.unknown;
  refuseHiddenLeast(model, tokens, fail);
  const entries: Entries = {
    'tokenizer.ggml.model': text('t5'),
    'tokenizer.ggml.pre': text('default'),
    ...tokenEntries(tokens),
    'tokenizer.ggml.scores': {
      type: 'float32s',
      value: tokens.kinds.map((kind, id) => (kind === KIND.unused ? NEVER : (model.vocab.at(id)?.[1] ?? 0))),
    },
    'tokenizer.ggml.unknown_token_id': count(unknown),
    'tokenizer.ggml.add_space_prefix': flag(steps.addsPrefix),
    'tokenizer.ggml.remove_extra_whitespaces': flag(steps.joinsSpaces),
    ...(steps.charsmap && { 'tokenizer.ggml.precompiled_charsmap': { type: 'bytes', value: steps.charsmap } as const }),
  };
  return { entries, notes: [...steps.notes, ...scoreNotes(model), ...addedTokenNotes(tokenizer)] };
}

function unknownId({ unk_id: id, vocab }: UnigramModel, fail: Fail): number {
  if (typeof id === 'number' && id < vocab.length) return id;
  throw fail("its tokenizer has no unknown token (unk_id), which llama.cpp's Unigram requires");
}

/** Refuses byte fallback: in llama.cpp unknown characters become one unknown token. */
function refuseBytes({ byte_fallback: hasBytes, vocab }: UnigramModel, fail: Fail): void {
  if (hasBytes === true && vocab.some(([spelling]) => /^<0x[0-9A-F]{2}>$/.test(spelling)))
    throw fail("its tokenizer spells unknown characters by bytes (byte_fallback), which llama.cpp's Unigram does not");
}

/** Refuses tokens with a space after another character: only llama.cpp, which does not split texts at spaces, would use them. */
function refuseTokensOverSpaces({ vocab }: UnigramModel, fail: Fail): void {
  const over = vocab.find(([spelling]) => spelling.lastIndexOf(SPACE) > 0);
  if (over !== undefined)
    throw fail(
      `its tokenizer cuts texts at spaces and has the token ${JSON.stringify(over[0])} over one, which llama.cpp would use`,
    );
  if (!vocab.some(([spelling]) => spelling === SPACE))
    throw fail(`its tokenizer has no token ${SPACE}: unknown words beside each other would be one in llama.cpp`);
}

/** Refuses a special token with the lowest score: llama.cpp scores unknown characters below the lowest score of normal tokens. */
function refuseHiddenLeast({ vocab }: UnigramModel, { kinds }: Tokens, fail: Fail): void {
  const least = (scores: readonly number[]) => scores.reduce((a, b) => Math.min(a, b), Infinity);
  const plain = vocab.filter((_, id) => kinds[id] === KIND.normal);
  if (least(plain.map(([, score]) => score)) !== least(vocab.map(([, score]) => score)))
    throw fail('the least score of its tokenizer is that of a special token, and llama.cpp takes it of the others');
}

const scoreNotes = ({ vocab }: UnigramModel): string[] =>
  vocab.every(([, score]) => Math.fround(score) === score)
    ? []
    : [
        'the scores of the tokenizer are float64, in GGUF float32: of segmentations that are equally good, another may be taken',
      ];

/** The effect of normalizer and pre-tokenizer. */
interface Steps {
  charsmap: Uint8Array | null;
  /** Whether a space is put before each text. */
  addsPrefix: boolean;
  /** Whether consecutive spaces become one, and spaces at the ends of a text are removed. */
  joinsSpaces: boolean;
  cutsAtSpaces: boolean;
  notes: string[];
}

/** Reads the steps that change characters and spaces, and refuses those that llama.cpp cannot do. */
function stepsOf({ definition }: HuggingFaceTokenizer, fail: Fail): Steps {
  const normalizers = componentsOf(definition.normalizer as Component | null, 'normalizers');
  const cuts = componentsOf(definition.pre_tokenizer as Component | null, 'pretokenizers');
  const steps = [...normalizers, ...cuts];
  const odd = steps.find((step, at) => !(at === 0 && step.type === 'Precompiled') && !isKnown(step));
  if (odd) throw fail(`its tokenizer has ${shown(odd)}, which llama.cpp's Unigram does not do`);
  const metaspace = cuts.find(({ type }) => type === 'Metaspace');
  if (metaspace === undefined && !normalizers.some(marksSpaces))
    throw fail(`its tokenizer does not write spaces as ${SPACE}, which llama.cpp's Unigram does`);
  const prepends = normalizers.some(({ type }) => type === 'Prepend');
  const scheme = metaspace && prefixOf(metaspace);
  const addsPrefix = prepends || (scheme !== undefined && scheme !== 'never');
  const splits = cuts.some(({ type }) => type === 'WhitespaceSplit');
  const strips = normalizers.some(({ type }) => type === 'Strip');
  const joinsSpaces = splits || normalizers.some(isJoin);
  const charsmap = charsmapOf(steps[0]);
  if (splits && charsmap === null)
    throw fail('its tokenizer cuts texts at any white space (WhitespaceSplit), and llama.cpp at spaces alone');
  if (joinsSpaces && !addsPrefix)
    throw fail('its tokenizer joins spaces and puts none before a text, and llama.cpp does both or neither');
  if (joinsSpaces !== (splits || strips))
    throw fail(
      joinsSpaces
        ? 'its tokenizer joins spaces and keeps one at the end of a text, and llama.cpp does both or neither'
        : 'its tokenizer strips texts (Strip), and llama.cpp only where it joins spaces',
    );
  const cutsAtSpaces = splits || (metaspace !== undefined && (metaspace.split ?? true) === true);
  const notes = joinsSpaces ? [] : spaceNotes(scheme, prepends);
  return { charsmap, addsPrefix, joinsSpaces, cutsAtSpaces, notes };
}

function spaceNotes(scheme: string | undefined, prepends: boolean): string[] {
  if (prepends) return ['a text of nothing but spaces has one space less in llama.cpp'];
  if (scheme === 'always') return ['a text that begins with a space begins with one space more in llama.cpp'];
  if (scheme === 'first')
    return ['a text that begins with a space, or follows a special token, begins with one space more in llama.cpp'];
  return [];
}

const prefixOf = ({ add_prefix_space: adds, prepend_scheme: scheme }: Component): string =>
  adds === false ? 'never' : ((scheme as string | undefined) ?? 'always');

function charsmapOf(step: Component | undefined): Uint8Array | null {
  const base64 = step?.type === 'Precompiled' ? step.precompiled_charsmap : null;
  return typeof base64 === 'string' && base64 !== '' ? Buffer.from(base64, 'base64') : null;
}

const isKnown = (step: Component): boolean =>
  marksSpaces(step) ||
  isJoin(step) ||
  (step.type === 'Strip' && step.strip_right === true) ||
  (step.type === 'Prepend' && step.prepend === SPACE) ||
  (step.type === 'Metaspace' && (step.replacement ?? SPACE) === SPACE) ||
  step.type === 'WhitespaceSplit';

const patternOf = ({ pattern }: Component) => pattern as { String?: string; Regex?: string } | undefined;
const marksSpaces = (step: Component): boolean =>
  step.type === 'Replace' && patternOf(step)?.String === ' ' && step.content === SPACE;
const isJoin = (step: Component): boolean =>
  step.type === 'Replace' && patternOf(step)?.Regex === ' {2,}' && [' ', SPACE].includes(step.content as string);

const shown = (step: Component): string => JSON.stringify(step).slice(0, 120);
