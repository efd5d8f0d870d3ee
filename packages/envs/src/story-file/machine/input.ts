// Passes a typed line or a key to a Z-machine that waits for input, which can then continue. Source: The Z-Machine Standards
// Document 1.1, opcodes `read`, `read_char` and `tokenise`.
import type { Dictionary } from './dictionary.js';
import type { Machine } from './machine.js';

/** The number of characters after which a line is cut, as in the common interpreters, even if the game allows more. */
const MAX_LINE_LENGTH = 198;
const ENTER = 13;

/** Passes a typed line to a machine that waits for one, in lower case and cut to the length of the game's buffer. */
export function enterLine(machine: Machine, line: string): void {
  const input = machine.input;
  if (input?.kind !== 'line') throw new Error(`enterLine: the story waits for ${machine.pause}, not for a line`);
  const { version } = machine.story;
  const offset = version <= 4 ? 1 : 2;
  const room = version <= 4 ? machine.byte(input.textBuffer) - 1 : machine.byte(input.textBuffer);
  const codes = [...line.toLowerCase()]
    .slice(0, Math.min(room, MAX_LINE_LENGTH))
    .map((c) => machine.text.zscii.code(c));
  codes.forEach((code, k) => machine.setByte(input.textBuffer + offset + k, code));
  if (version <= 4) machine.setByte(input.textBuffer + offset + codes.length, 0);
  else machine.setByte(input.textBuffer + 1, codes.length);
  if (input.parseBuffer !== 0) tokenise(machine, machine.dictionary, input.textBuffer, input.parseBuffer, false);
  if (input.store >= 0) machine.save(input.store, ENTER);
}

/** Passes a key to a machine that waits for one. @param text its first character is the key; an empty text is the key Enter */
export function enterKey(machine: Machine, text: string): void {
  const input = machine.input;
  if (input?.kind !== 'key') throw new Error(`enterKey: the story waits for ${machine.pause}, not for a key`);
  const [first] = text;
  machine.save(input.store, first === undefined ? ENTER : machine.text.zscii.code(first));
}

/**
 * Fills the game's buffer of parsed words: their number, then dictionary address, length and position of each.
 *
 * @param keepUnknown whether the entries of words that the dictionary lacks are left unchanged
 */
export function tokenise(
  machine: Machine,
  dictionary: Dictionary,
  textBuffer: number,
  parseBuffer: number,
  keepUnknown: boolean,
) {
  const offset = machine.story.version <= 4 ? 1 : 2;
  const start = textBuffer + offset;
  const length = machine.story.version <= 4 ? machine.memory.indexOf(0, start) - start : machine.byte(textBuffer + 1);
  const words = dictionary.split(machine.memory.subarray(start, start + length)).slice(0, machine.byte(parseBuffer));
  machine.setByte(parseBuffer + 1, words.length);
  words.forEach(({ codes, start: place }, k) => {
    const entry = parseBuffer + 2 + 4 * k;
    const address = dictionary.lookUp(codes);
    if (address === 0 && keepUnknown) return;
    machine.setWord(entry, address);
    machine.setByte(entry + 2, codes.length);
    machine.setByte(entry + 3, place + offset);
  });
}
