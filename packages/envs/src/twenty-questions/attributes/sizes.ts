// Lists the sizes of things, for questions such as "is it bigger than …?". A size is the range from the smallest to the largest
// usual specimen, as the volume of a bounding box in litres.
import { fromDataFile } from '../../data-file.js';
import { allWords, findWord, type Word } from '../words.js';
import type { Truth } from './attribute.js';

/** The smallest and the largest usual volume in litres. */
export type Size = readonly [number, number];

interface SizeFile {
  words: Record<string, Size>;
  /** Things that are not among the words of the game, but with which questions compare sizes. */
  references: Record<string, Size>;
}

const sizes = fromDataFile('twenty-questions/attributes/sizes.json', ({ words, references }: SizeFile) => {
  const byWord = new Map(Object.entries(words).map(([name, size]) => [findWord(name), size]));
  return { byWord, references };
});

export const sizeOf = (word: Word): Size => sizes().byWord.get(word)!;

/** Returns the size of a word or of another common thing; null for unknown names. */
export function sizeByName(name: string): Size | null {
  const { references } = sizes();
  if (Object.hasOwn(references, name)) return references[name];
  const word = allWords.find(({ variants }) => variants.includes(name));
  return word ? sizeOf(word) : null;
}

/** Compares the size ranges of two things. If they overlap, the answer is unclear. */
export function isBigger(size: Size, than: Size): Truth {
  if (size[0] > than[1]) return 'yes';
  if (size[1] < than[0] || (size[0] === than[0] && size[1] === than[1])) return 'no';
  return 'unclear';
}
