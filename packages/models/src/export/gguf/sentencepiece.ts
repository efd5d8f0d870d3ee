// Writes a BPE with byte fallback that was converted from a SentencePiece model (Llama 2, Mistral, Gemma). llama.cpp joins the two
// neighbours that form the token with the highest score, so that scores are derived from the order of the merges.
import type { HuggingFaceTokenizer } from '@bowyer/text';
import { count, flag, text, type Entries } from './gguf-file.js';
import {
  componentsOf,
  mergePairs,
  refuseOdd,
  type BpeModel,
  type Component,
  type VocabularyPart,
} from './tokenizer-parts.js';
import { addedTokenNotes, KIND, tokenEntries, tokensOf } from './tokens.js';

type Fail = (problem: string) => Error;

const SPACE = '▁';
const byteSpelling = (byte: number) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
const isByte = (spelling: string) => /^<0x[0-9A-F]{2}>$/.test(spelling);

export function sentencePiece(tokenizer: HuggingFaceTokenizer, rows: number, fail: Fail): VocabularyPart {
  const model = tokenizer.definition.model as BpeModel;
  refuseOdd(model, ['ignore_merges'], fail);
  const { vocab, unk_token: unknown } = model;
  const missing = Array.from({ length: 256 }, (_, byte) => byteSpelling(byte)).find((spelling) => !(spelling in vocab));
  if (model.byte_fallback !== true || missing !== undefined)
    throw fail(
      `its tokenizer has no tokens for the 256 bytes (${missing ?? 'byte_fallback is false'}), which llama.cpp's SPM requires`,
    );
  const { addsPrefix, notes } = spacesOf(tokenizer, fail);
  const tokens = tokensOf(tokenizer, vocab, rows);
  for (const [id, spelling] of tokens.spellings.entries()) {
    if (isByte(spelling)) tokens.kinds[id] = KIND.byte;
    if (spelling === unknown) tokens.kinds[id] = KIND.unknown;
  }
  const firstMerges = firstMergesOf(model, fail);
  const entries: Entries = {
    'tokenizer.ggml.model': text('llama'),
    'tokenizer.ggml.pre': text('default'),
    ...tokenEntries(tokens),
    'tokenizer.ggml.scores': {
      type: 'float32s',
      value: tokens.spellings.map((spelling) => -(firstMerges.get(spelling) ?? 0)),
    },
    'tokenizer.ggml.add_space_prefix': flag(addsPrefix),
    ...(typeof unknown === 'string' &&
      unknown in vocab && { 'tokenizer.ggml.unknown_token_id': count(vocab[unknown]) }),
  };
  return { entries, notes: [...notes, ...addedTokenNotes(tokenizer)] };
}

/**
 * Finds, for each token, the index of the first merge that produces it.
 *
 * @throws if a token lacks the merge of some pair that it consists of: scores alone would then lead to other tokens
 */
function firstMergesOf(model: BpeModel, fail: Fail): Map<string, number> {
  const first = new Map<string, number>();
  const pairs = new Set<string>();
  mergePairs(model).forEach(([left, right], index) => {
    pairs.add(`${left} ${right}`);
    if (!first.has(left + right)) first.set(left + right, index);
  });
  for (const token of Object.keys(model.vocab)) {
    const characters = isByte(token) ? [] : [...token];
    for (let cut = 1; cut < characters.length; cut++) {
      const [left, right] = [characters.slice(0, cut).join(''), characters.slice(cut).join('')];
      if (left in model.vocab && right in model.vocab && !pairs.has(`${left} ${right}`))
        throw fail(
          `its tokenizer does not merge ${JSON.stringify(left)} and ${JSON.stringify(right)} to a token that it has, which llama.cpp's SPM would`,
        );
    }
  }
  return first;
}

/** Reads whether a space is put before texts, and checks that spaces become `▁`. */
function spacesOf({ definition }: HuggingFaceTokenizer, fail: Fail): { addsPrefix: boolean; notes: string[] } {
  const steps = [
    ...componentsOf(definition.normalizer as Component | null, 'normalizers'),
    ...componentsOf(definition.pre_tokenizer as Component | null, 'pretokenizers'),
  ];
  let addsPrefix = false;
  const notes: string[] = [];
  for (const step of steps) {
    if (step.type === 'Prepend' && step.prepend === SPACE) addsPrefix = true;
    else if (step.type === 'Metaspace' && (step.replacement ?? SPACE) === SPACE) {
      const scheme = step.add_prefix_space === false ? 'never' : (step.prepend_scheme ?? 'always');
      addsPrefix ||= scheme !== 'never';
      if (scheme !== 'never')
        notes.push(
          'a text that begins with a space, or follows a special token, begins with one space more in llama.cpp',
        );
    } else if (!marksSpaces(step) && !cutsAtSpaces(step))
      throw fail(`its tokenizer has ${JSON.stringify(step).slice(0, 120)}, which llama.cpp's SPM does not do`);
  }
  return { addsPrefix, notes };
}

const patternIs = ({ pattern }: Component, expected: string) =>
  (pattern as { String?: string } | undefined)?.String === expected;
const marksSpaces = (step: Component) => step.type === 'Replace' && patternIs(step, ' ') && step.content === SPACE;
/** Returns whether a step only splits texts at spaces, which has no effect: the normalizer has replaced all spaces by `▁`. */
const cutsAtSpaces = (step: Component) => step.type === 'Split' && patternIs(step, ' ');
