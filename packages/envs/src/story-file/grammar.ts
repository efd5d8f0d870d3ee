// Reads the forms of sentences that a game can parse, such as "put OBJ in OBJ", from the grammar table that the compiler Inform
// writes into every game. Source: Graham Nelson, The Inform Technical Manual, sections 8.4 to 8.6 (dictionary data, grammar
// versions 1 and 2).
import { maximum } from '@bowyer/core';
import { commonest } from './common-words.js';
import type { DictionaryEntry } from './machine/dictionary.js';
import type { Machine } from './machine/machine.js';

/** The placeholder of an object's name in a sentence template: "put OBJ in OBJ". */
export const OBJECT = 'OBJ';

export interface Template {
  text: string;
  objectCount: number;
}

const IS_VERB = 0x01;
const IS_META = 0x02; // verbs that are not moves: save, quit, score, and all debugging verbs
const IS_PREPOSITION = 0x08;

const ELEMENTARY = 1;
const PREPOSITION = 2;
const LINE_END = 15;
/** The flag of a token in a sentence form that is an alternative to the token before it, as in "in/inside/into". */
const IS_ALTERNATIVE = 0x10;

/** One position of a sentence template: the alternative words for it, or null for the name of an object. */
type Slot = string[] | null;

/** Returns a game's sentence templates by number of objects, then alphabetically; empty if Inform has not compiled the game. */
export function readTemplates(machine: Machine): Template[] {
  const verbs = verbWords(machine.dictionary.entries);
  const table = machine.story.staticBase; // Inform puts the grammar table at the start of static memory
  const verbCount = verbs.size === 0 ? 0 : maximum([...verbs.keys()]) + 1;
  if (verbCount === 0 || verbCount > 255) return [];
  const starts = Array.from({ length: verbCount }, (_, verb) => machine.word(table + 2 * verb));
  const read = [readLinesVersion2, readLinesVersion1].find((candidate) => fits(machine, starts, candidate));
  if (read === undefined) return [];
  const texts = new Set<string>();
  for (const [verb, { words, isMeta }] of verbs) {
    if (isMeta) continue;
    for (const line of read(machine, starts[verb]).lines) texts.add(spell([words, ...line]));
  }
  return [...texts].map(templateOf).sort((a, b) => a.objectCount - b.objectCount || (a.text < b.text ? -1 : 1));
}

export const templateOf = (text: string): Template => ({
  text,
  objectCount: text.split(' ').filter((word) => word === OBJECT).length,
});

const spell = (slots: Slot[]) => slots.map((slot) => (slot === null ? OBJECT : commonest(slot))).join(' ');

/** Returns the synonyms of each verb by index, which is 255 minus the number that Inform gives the verb. */
function verbWords(entries: readonly DictionaryEntry[]): Map<number, { words: string[]; isMeta: boolean }> {
  const verbs = new Map<number, { words: string[]; isMeta: boolean }>();
  for (const { word, data } of entries) {
    if ((data[0] & IS_VERB) === 0) continue;
    const number = 255 - data[1];
    const verb = verbs.get(number) ?? { words: [], isMeta: false };
    verb.words.push(word);
    verb.isMeta ||= (data[0] & IS_META) !== 0;
    verbs.set(number, verb);
  }
  return verbs;
}

type LineReader = (machine: Machine, start: number) => { lines: Slot[][]; end: number };

/** Returns whether a version of the grammar table fits: each verb's sentence forms must end where the next verb's begin. */
function fits(machine: Machine, starts: readonly number[], read: LineReader): boolean {
  if (starts[0] !== machine.story.staticBase + 2 * starts.length) return false;
  return starts.every((start, verb) => {
    const { end } = read(machine, start);
    return verb + 1 >= starts.length || end === starts[verb + 1];
  });
}

/** Reads one verb's sentence forms in version 1: a count, then for each eight bytes (number of objects, six tokens, action). */
function readLinesVersion1(machine: Machine, start: number): { lines: Slot[][]; end: number } {
  const count = machine.byte(start);
  const lines = Array.from({ length: count }, (_, k) => {
    const tokens = Array.from({ length: 6 }, (__, token) => machine.byte(start + 1 + 8 * k + 1 + token));
    return tokensVersion1(machine, tokens, machine.byte(start + 1 + 8 * k));
  });
  return { lines, end: start + 1 + 8 * count };
}

/** Converts tokens in version 1: those from 180 up are prepositions, others objects, whose number the form itself contains. */
function tokensVersion1(machine: Machine, tokens: readonly number[], objectCount: number): Slot[] {
  const slots: Slot[] = [];
  let objects = 0;
  for (const token of tokens) {
    if (token >= 180) slots.push(prepositionsNumbered(machine, token));
    else if (objects++ < objectCount) slots.push(null);
    else break;
  }
  return slots;
}

function prepositionsNumbered(machine: Machine, number: number): string[] {
  const isThis = ({ data }: DictionaryEntry) => (data[0] & IS_PREPOSITION) !== 0 && data[2] === number;
  return machine.dictionary.entries.filter(isThis).map(({ word }) => word);
}

/** Reads one verb's sentence forms in version 2: a count, then for each an action word, tokens of three bytes, and a byte 15. */
function readLinesVersion2(machine: Machine, start: number): { lines: Slot[][]; end: number } {
  const count = machine.byte(start);
  const lines: Slot[][] = [];
  let at = start + 1;
  for (let k = 0; k < count && at < machine.memory.length; k++) {
    at += 2;
    const slots: Slot[] = [];
    for (; machine.byte(at) !== LINE_END && slots.length < 32; at += 3) addTokenVersion2(machine, at, slots);
    at++;
    lines.push(slots);
  }
  return { lines, end: at };
}

function addTokenVersion2(machine: Machine, at: number, slots: Slot[]): void {
  const type = machine.byte(at);
  if ((type & 0x0f) !== PREPOSITION) {
    // The token is an elementary one (noun, held object, creature, number, topic) or a routine that decides which object fits;
    // both stand for an object's name.
    if ((type & 0x0f) === ELEMENTARY || (type & IS_ALTERNATIVE) === 0) slots.push(null);
    return;
  }
  const address = machine.word(at + 1);
  const word = machine.dictionary.at(address)?.word ?? '';
  const last = slots.at(-1);
  if ((type & IS_ALTERNATIVE) !== 0 && Array.isArray(last)) last.push(word);
  else slots.push([word]);
}
