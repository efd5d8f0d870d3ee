// Converts a row of Twenty Questions' attribute table to the truth of an attribute, a yes/no question, for each word.
import type { Attribute, Truth } from '../truths.js';
import { allWords, findWord, type Category, type Word } from '../words.js';

export type { Attribute, Truth };

export interface AttributeRow {
  name: string;
  /** The wordings in demonstrations, plainest first. None ends with a word whose answer is yes, since it would win the game. */
  ask: readonly string[];
  /** Further wordings that the oracle understands, also in variants such as "can it be …ed" and "is it something you …". */
  also?: readonly string[];
  /** The words for yes, separated by commas: a name, `@category`, or `-name` to exclude one. A name overrides a category. */
  yes: string;
  /** The words for which the answer is unclear, in the notation of `yes`. For all remaining words the answer is no. */
  unclear?: string;
}

export function makeAttribute(row: AttributeRow): Attribute {
  const yes = listedWords(row.yes, row.name);
  const unclear = listedWords(row.unclear ?? '', row.name);
  for (const [word, listing] of unclear) {
    if (listing === 'by name' && yes.get(word) === 'by name') {
      throw new Error(`attribute '${row.name}': '${word.name}' is listed both under yes and under unclear`);
    }
  }
  return {
    name: row.name,
    ask: row.ask,
    also: row.also ?? [],
    truths: allWords.map((word) => truth(yes.get(word), unclear.get(word))),
  };
}

type Listing = 'by name' | 'by category';

/** Returns the truth for a word from the lists that contain it; a listing by name overrides one by category. */
function truth(yes: Listing | undefined, unclear: Listing | undefined): Truth {
  if (yes === undefined) return unclear === undefined ? 'no' : 'unclear';
  return yes === 'by category' && unclear === 'by name' ? 'unclear' : 'yes';
}

function listedWords(list: string, attribute: string): Map<Word, Listing> {
  const words = new Map<Word, Listing>();
  for (const item of list.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    if (item.startsWith('@')) {
      for (const word of wordsOf(item.slice(1) as Category, attribute)) words.set(word, 'by category');
    } else if (item.startsWith('-')) {
      if (!words.delete(findWord(item.slice(1)))) {
        throw new Error(`attribute '${attribute}': '${item}' takes out a word that is not in the list before it`);
      }
    } else {
      words.set(findWord(item), 'by name');
    }
  }
  return words;
}

function wordsOf(category: Category, attribute: string): Word[] {
  const words = allWords.filter((word) => word.category === category);
  if (words.length === 0) throw new Error(`attribute '${attribute}': there is no category '@${category}'`);
  return words;
}
