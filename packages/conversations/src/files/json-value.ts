// Values of JSON in files from outside: numbers keep the text that a chat template prints, and a key that an object has twice is refused.
import { parseJson } from '@bowyer/text';
import { BadItem } from './data-error.js';

/** Reads a text of JSON. @throws {SyntaxError} @throws {BadItem} for a key that an object has twice */
export const jsonValue = (text: string): unknown => parseJson(text, refuseRepeated);

function refuseRepeated(key: string): never {
  throw new BadItem(`has an object with the key ${JSON.stringify(key)} twice, of which one would be lost; remove one`);
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
