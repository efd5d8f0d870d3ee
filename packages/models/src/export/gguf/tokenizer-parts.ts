// Reads the parts of a tokenizer.json that decide whether llama.cpp can express it, and how.
import type { Entries } from './gguf-file.js';

export interface Component {
  type: string;
  [field: string]: unknown;
}

export interface BpeModel {
  type: 'BPE';
  vocab: Readonly<Record<string, number>>;
  merges: readonly (string | readonly [string, string])[];
  unk_token?: string | null;
  byte_fallback?: boolean;
  ignore_merges?: boolean;
  [field: string]: unknown;
}

/** The metadata of a vocabulary, and notes on how llama.cpp's tokenizer differs from it. */
export interface VocabularyPart {
  entries: Entries;
  notes: string[];
}

/** Lists the steps of a component; a `Sequence`, also a nested one, is replaced by its steps. */
export function componentsOf(component: Component | null | undefined, field: string): Component[] {
  if (component === null || component === undefined) return [];
  if (component.type !== 'Sequence') return [component];
  return (component[field] as Component[]).flatMap((part) => componentsOf(part, field));
}

export const mergePairs = ({ merges }: BpeModel): [string, string][] =>
  merges.map((merge) => {
    if (typeof merge !== 'string') return [merge[0], merge[1]];
    const space = merge.indexOf(' ', 1);
    return [merge.slice(0, space), merge.slice(space + 1)];
  });

/** Refuses fields of a tokenizer's `model` that llama.cpp does not read, if they have an effect; `others` are further ones. */
export function refuseOdd(model: BpeModel, others: readonly string[], fail: (problem: string) => Error): void {
  for (const field of ['dropout', 'continuing_subword_prefix', 'end_of_word_suffix', ...others]) {
    const value = model[field] ?? null;
    if (value !== null && value !== false && value !== '' && value !== 0)
      throw fail(`its tokenizer has ${field}: ${JSON.stringify(value)}, which llama.cpp does not read for this kind`);
  }
}
