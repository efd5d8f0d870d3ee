// JSON values of users' files: numbers keep their text, which a chat template prints, and an object with a repeated key is
// refused.
import { repeatedKeyProblem } from '@bowyer/core';
import { parseJson } from '@bowyer/text';
import { BadItem } from './data-error.js';

/** Levels of nested arrays and objects: code that walks through a value calls itself for each. */
const MOST_LEVELS = 500;

/** Reads a text of JSON. @throws {SyntaxError} @throws {BadItem} for a key that an object has twice, and for too many levels */
export function jsonValue(text: string): unknown {
  checkDepth(text);
  return parseJson(text, refuseRepeated);
}

/**
 * Checks the depth of a value.
 *
 * @param what the text is, for the error; none if it is the item itself
 * @throws {BadItem} where it has too many levels
 */
export function checkDepth(text: string, what = ''): void {
  if (isTooDeep(text)) throw new BadItem(`${what}has more than ${MOST_LEVELS} arrays and objects within each other`);
}

function isTooDeep(text: string): boolean {
  let [depth, inString] = [0, false];
  for (let at = 0; at < text.length && depth <= MOST_LEVELS; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
  }
  return depth > MOST_LEVELS;
}

function refuseRepeated(key: string): never {
  throw new BadItem(repeatedKeyProblem(key));
}

/** Reads a text of JSON that an item has in the place of a value. @param what it is, for errors @throws {BadItem} */
export function jsonWithin(text: string, what: string): unknown {
  try {
    return jsonValue(text);
  } catch (error) {
    if (error instanceof BadItem) throw new BadItem(`${what} ${error.message}`);
    throw new BadItem(`${what} is a text that is not JSON`);
  }
}
