// Writes a byte-level BPE tokenizer (GPT-2 and later) for llama.cpp: tokens, merges, and the name of the pre-tokenizer.
import type { HuggingFaceTokenizer } from '@bowyer/text';
import { text, type Entries } from './gguf-file.js';
import { preTokenizerName } from './pre-tokenizer-names.js';
import { addedTokenNotes, tokenEntries, tokensOf } from './tokens.js';
import {
  componentsOf,
  mergePairs,
  refuseOdd,
  type BpeModel,
  type Component,
  type VocabularyPart,
} from './tokenizer-parts.js';

export const isByteLevel = ({ definition }: HuggingFaceTokenizer): boolean =>
  componentsOf(definition.pre_tokenizer as Component | null, 'pretokenizers').some(({ type }) => type === 'ByteLevel');

export function byteLevelBpe(
  tokenizer: HuggingFaceTokenizer,
  rows: number,
  fail: (problem: string) => Error,
): VocabularyPart {
  const model = tokenizer.definition.model as BpeModel;
  refuseOdd(model, ['byte_fallback', 'unk_token'], fail);
  const notes = [...normalizerNotes(tokenizer, fail), ...addedTokenNotes(tokenizer)];
  const cuts = componentsOf(tokenizer.definition.pre_tokenizer as Component, 'pretokenizers');
  if (cuts.some(({ type, add_prefix_space: adds = true }) => type === 'ByteLevel' && adds === true))
    throw fail('its ByteLevel has add_prefix_space: true, which llama.cpp has no entry for');
  const { name, ignoresMerges } = preTokenizerName(cuts, model.ignore_merges === true, fail);
  if (ignoresMerges !== (model.ignore_merges === true))
    notes.push(
      `ignore_merges is ${String(model.ignore_merges === true)}, and llama.cpp's "${name}" has the other value: texts differ only where merges do not lead to a token that is a whole piece`,
    );
  const entries: Entries = {
    'tokenizer.ggml.model': text('gpt2'),
    'tokenizer.ggml.pre': text(name),
    ...tokenEntries(tokensOf(tokenizer, model.vocab, rows)),
    'tokenizer.ggml.merges': { type: 'strings', value: mergePairs(model).map((pair) => pair.join(' ')) },
  };
  return { entries, notes };
}

/** Checks that the normalizer has no effect, since llama.cpp does not normalize texts for these tokenizers. */
function normalizerNotes({ definition }: HuggingFaceTokenizer, fail: (problem: string) => Error): string[] {
  const steps = componentsOf(definition.normalizer as Component | null, 'normalizers');
  const other = steps.find(({ type }) => type !== 'NFC');
  if (other) throw fail(`its normalizer ${other.type} has no counterpart in llama.cpp`);
  return steps.length === 0
    ? []
    : [
        'texts are normalized to NFC by the tokenizer and not by llama.cpp: accents that are characters of their own differ',
      ];
}
