// Parses the JSON of users' data files. Numbers keep their text, since chat templates print it; a repeated key is an error.
import { repeatedKeyProblem } from '@bowyer/core';
import { parseJson } from '@bowyer/text';
import { BadItem } from './data-error.js';

/** The most levels of nested arrays and objects. The number is limited, since recursive functions process the values. */
const MOST_LEVELS = 500;

/** Parses JSON. @throws {SyntaxError} @throws {BadItem} for a repeated key, and for too deep nesting */
export function jsonValue(text: string): unknown {
  checkDepth(text);
  return parseJson(text, refuseRepeated);
}

/**
 * @param what prefix of the error's message, which names the text; empty if the text is the item itself
 * @throws {BadItem} if the nesting is too deep
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

/** Parses JSON text that a string within an item contains. @param what description of the string, for errors @throws {BadItem} */
export function jsonWithin(text: string, what: string): unknown {
  try {
    return jsonValue(text);
  } catch (error) {
    if (error instanceof BadItem) throw new BadItem(`${what} ${error.message}`);
    throw new BadItem(`${what} is a text that is not JSON`);
  }
}
