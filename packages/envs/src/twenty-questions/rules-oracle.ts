// Answers questions of Twenty Questions without a language model, by rules for free text and the attribute table. A question that
// it does not understand is invalid; it never guesses.
import { allAttributes } from './attributes/index.js';
import type { Truth } from './attributes/attribute.js';
import { isBigger, sizeByName, sizeOf } from './attributes/sizes.js';
import { guessTruth, nounOf } from './nouns.js';
import type { Oracle } from '../oracle.js';
import { formKey, questionForm, type QuestionForm } from './question-form.js';
import type { Word } from './words.js';

/** The meaning of a question: a function that returns the answer for a word. */
export type Meaning = (word: Word) => Truth;

const answers: Record<Truth, string> = { yes: 'Yes.', no: 'No.', unclear: 'It depends.' };

export class RulesOracle implements Oracle<Word> {
  readonly id = 'rules-1';
  /** A cache of the meanings of recent questions, since players repeat questions. */
  readonly #meanings = new Map<string, Meaning | null>();

  answer(word: Word, question: string): string {
    const meaning = this.#meaningOf(question);
    return meaning === null ? 'Unclear.' : answers[meaning(word)];
  }

  #meaningOf(question: string): Meaning | null {
    let meaning = this.#meanings.get(question);
    if (meaning !== undefined) return meaning;
    meaning = meaningOf(question);
    if (this.#meanings.size >= 10_000) this.#meanings.clear();
    this.#meanings.set(question, meaning);
    return meaning;
  }
}

/** Returns the meaning of a question; null if the oracle does not understand it. */
export function meaningOf(question: string): Meaning | null {
  const form = questionForm(question);
  if (form === null) return null;
  const meaning = meaningOfForm(form);
  if (meaning === null) return null;
  return form.negated ? (word) => opposite[meaning(word)] : meaning;
}

const opposite: Record<Truth, Truth> = { yes: 'no', no: 'yes', unclear: 'unclear' };

function meaningOfForm(form: QuestionForm): Meaning | null {
  const direct = form.hasArticle ? (guess(form) ?? attributeMeaning(form)) : (attributeMeaning(form) ?? guess(form));
  return comparison(form) ?? direct ?? conjunction(form);
}

/** The row of the attribute table for the canonical form of each wording. The map is built for the first question. */
let byKey: ReadonlyMap<string, number> | undefined;

function rowsByKey(): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  allAttributes().forEach((attribute, row) => {
    for (const wording of [...attribute.ask, ...attribute.also]) {
      const form = questionForm(wording);
      if (form === null) throw new Error(`attribute '${attribute.name}': '${wording}' is not a yes/no question`);
      const key = formKey(form);
      const other = keys.get(key);
      if (other !== undefined && other !== row) {
        throw new Error(
          `attributes '${allAttributes()[other].name}' and '${attribute.name}' both claim '${wording}' (${key})`,
        );
      }
      keys.set(key, row);
    }
  });
  return keys;
}

function attributeMeaning(form: Pick<QuestionForm, 'frame' | 'words'>): Meaning | null {
  byKey ??= rowsByKey();
  const row = byKey.get(formKey(form));
  if (row === undefined) return null;
  const { truths } = allAttributes()[row];
  return (word) => truths[word.index];
}

/** The smallest volume for which "is it big?" is true: clearly bigger than a person. A small thing fits into a bag. */
const bigFrom = 250; // litres
const smallUpTo = 5; // litres

/** Parses comparisons: "is it bigger than a car?", "is it smaller than a shoebox?", "is it small?". */
function comparison({ frame, words }: QuestionForm): Meaning | null {
  if (frame !== 'be') return null;
  if (words.length === 1 && /^(?:big|large|huge|enormous)$/.test(words[0])) return isBig;
  if (words.length === 1 && /^(?:small|tiny|little)$/.test(words[0])) return (word) => opposite[isBig(word)];
  if (words[1] !== 'than') return null;
  const reference = sizeByName(words.slice(2).join(' '));
  if (reference === null) return null;
  if (/^(?:bigger|larger|greater)$/.test(words[0])) return (word) => isBigger(sizeOf(word), reference);
  if (words[0] === 'smaller') return (word) => isBigger(reference, sizeOf(word));
  return null;
}

function isBig(word: Word): Truth {
  const [low, high] = sizeOf(word);
  return low >= bigFrom ? 'yes' : high <= smallUpTo ? 'no' : 'unclear';
}

/** Parses a guess: "is it a dog?" is true for the word dog and false for all words that are not dogs. */
function guess({ frame, words }: Pick<QuestionForm, 'frame' | 'words'>): Meaning | null {
  if (frame !== 'be' && !(frame === 'raw' && words.length <= 3)) return null;
  const noun = nounOf(words.join(' '));
  return noun === null ? null : (word) => guessTruth(noun, word);
}

/** Parses a question with two conditions: "is it a red fruit?", "is it an animal that flies?", "is it big and red?". */
function conjunction({ frame, words }: QuestionForm): Meaning | null {
  if (frame !== 'be') return null;
  const link = words.findIndex((word) => word === 'and' || word === 'that' || word === 'which');
  const parts: (Meaning | null)[] = [];
  if (link > 0) {
    const [head, tail] = [words.slice(0, link), words.slice(link + 1).join(' ')];
    parts.push(predicate(head));
    parts.push(words[link] === 'and' ? meaningOf(`is it ${tail}`) : meaningOf(`is it something that ${tail}`));
  } else if (words.length === 2) {
    // Adjective and noun may each be a row of the attribute table, as in "a wooden instrument" or "a red fruit".
    parts.push(attributeMeaning({ frame, words: [words[0]] }), predicate([words[1]]));
  }
  if (parts.length === 0 || parts.includes(null)) return null;
  const [first, second] = parts as Meaning[];
  return (word) => both(first(word), second(word));
}

const predicate = (words: string[]): Meaning | null =>
  attributeMeaning({ frame: 'be', words }) ?? guess({ frame: 'be', words });

const both = (a: Truth, b: Truth): Truth =>
  a === 'no' || b === 'no' ? 'no' : a === 'yes' && b === 'yes' ? 'yes' : 'unclear';
