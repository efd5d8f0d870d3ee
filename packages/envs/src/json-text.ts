// Works on JSON as text, without parsing it to values: finds the end of an object, and keeps all digits of numbers.
import { isJson, keepsDigits } from '@bowyer/core';

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\]:,]|true|false|null|\s+/y;

/** Returns the index after the JSON object that begins at the index `start` of a text; -1 if no JSON object begins there. */
export function objectEnd(text: string, start: number): number {
  if (text[start] !== '{') return -1;
  let depth = 0;
  for (let at = start; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) return -1;
    if (token === '{' || token === '[') depth++;
    if ((token === '}' || token === ']') && --depth === 0)
      return isJson(text.slice(start, TOKEN.lastIndex)) ? TOKEN.lastIndex : -1;
  }
  return -1;
}

function* tokensOf(json: string): Generator<string> {
  TOKEN.lastIndex = 0;
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(json); found !== null; found = pattern.exec(json))
    if (found[0].trim() !== '') yield found[0];
}

/** Returns the JSON text of each member of an object, without white space between tokens. @param json text of a JSON object */
export function membersAsWritten(json: string): Record<string, string> {
  const members: [string, string][] = [];
  let [key, value, depth]: [string | null, string, number] = [null, '', 0];
  for (const token of tokensOf(json)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth--;
    if (depth === 0 || (depth === 1 && token === ',')) {
      if (key !== null) members.push([key, value]);
      [key, value] = [null, ''];
      if (!isEnd && token !== ',') depth++;
    } else if (depth === 1 && key === null) key = JSON.parse(token) as string;
    else if (depth > 1 || token !== ':' || value !== '') {
      value += token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
      if (token === '{' || token === '[') depth++;
    }
  }
  return Object.fromEntries(members);
}

/** Returns the first key that an object, or an object within it, contains twice; null if there is none. */
export function repeatedKey(json: string): string | null {
  /** For each object that is not yet closed, its keys so far; null for an array. */
  const open: (Set<string> | null)[] = [];
  let before = '';
  for (const token of tokensOf(json)) {
    const keys = open.at(-1);
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(null);
    else if (token === '}' || token === ']') open.pop();
    else if (keys && (before === '{' || before === ',')) {
      const key = JSON.parse(token) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    before = token;
  }
  return null;
}

/** Returns the first number in the text that JSON.parse would change, such as an integer above 2^53; null if there is none. */
export function lostNumber(json: string): string | null {
  for (const token of tokensOf(json)) if (/^[-\d]/.test(token) && !keepsDigits(token)) return token;
  return null;
}
