// How deeply a text of JSON is nested. A parser calls itself for each level, up to the end of the stack, so that a text is measured
// before it is parsed.

/** Levels of arrays and objects within each other. Schemas of published tools have about twenty. */
export const MOST_LEVELS = 128;

export interface JsonScan {
  /** The next character to look at. */
  at: number;
  inString: boolean;
  /** The number of `:`, `[` and `{` outside strings. */
  fields: number;
  /** Outside strings. */
  commas: number;
  /** Open brackets at `at`, and the most so far. */
  depth: number;
  deepest: number;
}

export const beginning: JsonScan = { at: 0, inString: false, fields: 0, commas: 0, depth: 0, deepest: 0 };

/** Counts in at most `most` further characters. */
export function scan(text: string, state: JsonScan, most = text.length): JsonScan {
  let { at, inString, fields, commas, depth, deepest } = state;
  const end = Math.min(text.length, at + most);
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) inString = !inString;
    else if (inString) continue;
    else if (code === COMMA) commas++;
    else if (code === COLON) fields++;
    else if (code === BRACKET || code === BRACE) {
      fields++;
      if (++depth > deepest) deepest = depth;
    } else if (code === END_BRACKET || code === END_BRACE) depth--;
  }
  return { at, inString, fields, commas, depth, deepest };
}

export const isTooDeep = (json: string): boolean => scan(json, beginning).deepest > MOST_LEVELS;

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE, END_BRACKET, END_BRACE] = Buffer.from('"\\,:[{]}');
