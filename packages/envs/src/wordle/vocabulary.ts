// Reads the words that a game of Wordle may hide: AgentGym's forty words, or those of a file with one word per line.
import { readFileSync } from 'node:fs';
import { utf8Text } from '@bowyer/core';

export const WORD_LENGTH = 5;

/** AgentGym's forty words (GET /wordle/filtered_vocab; LMRL-Gym's tweet_words.txt), on whose order draws depend. */
export const agentGymWords: readonly string[] = (
  'panic solar shire proxy point robot prick wince crimp knoll sugar whack mount perky could wrung light those moist ' +
  'shard pleat aloft skill elder frame humor pause ulcer ultra robin cynic aroma caulk shake dodge swill tacit other ' +
  'thorn trove'
).split(' ');

/** Returns the lower-case words of five letters in a file, in the file's order. Other lines are skipped, as LMRL-Gym does. */
export function readVocabulary(path: string): string[] {
  let text: string;
  try {
    text = utf8Text(readFileSync(path), path);
  } catch (error) {
    throw new Error(`wordle: vocabulary ${path} cannot be read: ${(error as Error).message}`);
  }
  const words = text
    .split('\n')
    .map((line) => line.trim())
    .filter((word) => /^[a-z]{5}$/.test(word));
  if (words.length === 0)
    throw new Error(`wordle: vocabulary ${path} has no line that is one five-letter word in lower case`);
  return [...new Set(words)];
}
