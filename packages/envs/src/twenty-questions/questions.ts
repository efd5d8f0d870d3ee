// Lists the questions for scripted players of Twenty Questions: attributes and guesses, each with its answer for every word.
import { allAttributes } from './attributes/index.js';
import type { Attribute, Truth } from './attributes/attribute.js';
import { guessTruth } from './nouns.js';
import { isWinnable, namesWord, type WinTest } from './rules.js';
import { guessQuestion, type Word } from './words.js';

export interface Question {
  wordings: readonly string[];
  /** [words] the answer for each word, in the order of the words. */
  truths: readonly Truth[];
  /** The index of the guessed word; null for a question about an attribute. */
  guess: number | null;
  /** The index of the word that the question names, with which it can win the game; null if it names none. */
  wins: number | null;
}

interface QuestionSetOptions {
  words: readonly Word[];
  winTest: WinTest;
  /** The number of attributes to ask about, most even splits first; Infinity: all that distinguish words. */
  attributes: number;
  /** The number of wordings that are used of each attribute, plainest first. */
  wordings: number;
  /** The largest share of words with an unclear answer, for which the oracle says "Invalid Question.". */
  maxUnclear: number;
}

/** Returns the questions about attributes, those that split the words most evenly first, and then one guess for each word. */
export function questionSet({ words, winTest, attributes, wordings, maxUnclear }: QuestionSetOptions): Question[] {
  const attributeQuestions = splittingAttributes(words, maxUnclear)
    .slice(0, attributes)
    .map(({ ask, truths }): Question => {
      return {
        wordings: ask.slice(0, wordings),
        truths: words.map(({ index }) => truths[index]),
        guess: null,
        wins: null,
      };
    });
  return [...attributeQuestions, ...words.map((_, place) => guessOf(words, place, winTest))];
}

function guessOf(words: readonly Word[], place: number, winTest: WinTest): Question {
  const guessed = words[place];
  const question = guessQuestion(guessed);
  const wins = isWinnable(guessed, winTest) && namesWord(question, guessed, winTest) ? place : null;
  return {
    wordings: [question],
    truths: words.map((word) =>
      guessed.table ? (word === guessed ? 'yes' : 'no') : guessTruth({ name: guessed.name, word: guessed }, word),
    ),
    guess: place,
    wins,
  };
}

/**
 * Returns the attributes that distinguish words and are clear enough, most even splits first, those with repeated answers last.
 */
function splittingAttributes(words: readonly Word[], maxUnclear: number): Attribute[] {
  const seen = new Set<string>();
  const ranked = (words[0].table ?? allAttributes())
    .map((attribute, row) => ({ attribute, row, ...countTruths(attribute, words) }))
    .filter(({ yes, no, unclear }) => yes > 0 && no > 0 && unclear <= maxUnclear * words.length)
    .sort((a, b) => Math.min(b.yes, b.no) - Math.min(a.yes, a.no) || a.row - b.row);
  const firsts: Attribute[] = [];
  const others: Attribute[] = [];
  for (const { attribute } of ranked) {
    const split = splitKey(attribute, words);
    (seen.has(split) ? others : firsts).push(attribute);
    seen.add(split);
  }
  return [...firsts, ...others];
}

function countTruths({ truths }: Attribute, words: readonly Word[]): Record<Truth, number> {
  const counts = { yes: 0, no: 0, unclear: 0 };
  for (const { index } of words) counts[truths[index]]++;
  return counts;
}

/** Returns a key that is equal for attributes with the same answers for all words, also if yes and no are swapped. */
function splitKey({ truths }: Attribute, words: readonly Word[]): string {
  const first = words.map(({ index }) => truths[index]).find((truth) => truth !== 'unclear');
  return words.map(({ index }) => (truths[index] === 'unclear' ? '?' : truths[index] === first ? '1' : '0')).join('');
}

/** Returns the pairs of words that no attribute distinguishes with a clear answer. */
export function indistinguishablePairs(words: readonly Word[]): [Word, Word][] {
  const pairs: [Word, Word][] = [];
  for (let i = 0; i < words.length; i++) {
    for (let j = i + 1; j < words.length; j++) {
      if (!allAttributes().some(({ truths }) => areOpposite(truths[words[i].index], truths[words[j].index]))) {
        pairs.push([words[i], words[j]]);
      }
    }
  }
  return pairs;
}

const areOpposite = (a: Truth, b: Truth) => (a === 'yes' && b === 'no') || (a === 'no' && b === 'yes');
