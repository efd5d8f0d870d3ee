import { UnknownNameError } from '../contract/unknown-name-error.js';
import { readOwnWords } from './own-words.js';
import { allWords, findWord, subset10, type Word } from './words.js';

/** Returns the words: 'full', 'subset10', a user's JSON file, or listed ones in any spelling of the 157 words. */
export function selectWords(words: string | readonly string[]): readonly Word[] {
  if (words === 'full') return allWords;
  if (words === 'subset10') return subset10;
  if (typeof words === 'string' && words.endsWith('.json')) return readOwnWords(words);
  if (typeof words === 'string') throw new UnknownNameError('word list', words, ['full', 'subset10']);
  if (words.length === 0) throw new RangeError('twenty_questions: words is an empty list; give at least one word');
  const selected = words.map(findWord);
  const repeated = selected.find((word, i) => selected.indexOf(word) !== i);
  if (repeated) throw new RangeError(`twenty_questions: words names '${repeated.name}' twice`);
  return selected;
}
