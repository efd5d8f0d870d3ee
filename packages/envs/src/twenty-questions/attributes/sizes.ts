// The size of each thing, for "is it bigger than …?": litres of a box around it, of the smallest to the largest usual specimen.
import { fromDataFile } from '../../data-file.js';
import { allWords, findWord, type Word } from '../words.js';
import type { Truth } from './attribute.js';

/** Litres, from low to high. */
export type Size = readonly [number, number];

interface SizeFile {
  words: Record<string, Size>;
  /** Things that questions compare with although they are not among the words. */
  references: Record<string, Size>;
}

const sizes = fromDataFile('twenty-questions/attributes/sizes.json', ({ words, references }: SizeFile) => {
  const byWord = new Map(Object.entries(words).map(([name, size]) => [findWord(name), size]));
  return { byWord, references };
});

export const sizeOf = (word: Word): Size => sizes().byWord.get(word)!;

/** Returns the size of what a question compares with: one of the words or a common thing; null when it is neither. */
export function sizeByName(name: string): Size | null {
  const { references } = sizes();
  if (Object.hasOwn(references, name)) return references[name];
  const word = allWords.find(({ variants }) => variants.includes(name));
  return word ? sizeOf(word) : null;
}

/** Compares sizes: yes when even a small specimen is larger than a large reference, no when even a large one is smaller than a small reference. */
export function isBigger(size: Size, than: Size): Truth {
  if (size[0] > than[1]) return 'yes';
  if (size[1] < than[0] || (size[0] === than[0] && size[1] === than[1])) return 'no';
  return 'unclear';
}
