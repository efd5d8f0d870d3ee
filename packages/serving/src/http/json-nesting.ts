// Measures how deeply a JSON text is nested before it is parsed, since the parser is recursive and its stack could overflow.

/** The most levels of nested arrays and objects. Schemas of published tools have about twenty. */
export const MOST_LEVELS = 128;

/** The counts of a JSON text, or of its beginning that has been scanned. */
export interface JsonCounts {
  /** The number of the characters `:`, `[` and `{` outside strings, which is that of fields, arrays and objects. */
  fields: number;
  /** The number of commas outside strings, which bounds the number of values. */
  commas: number;
  /** Whether the text nests arrays and objects more than `MOST_LEVELS` deep. */
  tooDeep: boolean;
}

export function countsOf(text: string): JsonCounts {
  const counts = { fields: 0, commas: 0, tooDeep: false };
  let [inString, depth] = [false, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) inString = !inString;
    else if (inString) continue;
    else if (code === COMMA) counts.commas++;
    else if (code === COLON) counts.fields++;
    else if (code === BRACKET || code === BRACE) {
      counts.fields++;
      counts.tooDeep ||= ++depth > MOST_LEVELS;
    } else if (code === END_BRACKET || code === END_BRACE) depth--;
  }
  return counts;
}

export const isTooDeep = (json: string): boolean => countsOf(json).tooDeep;

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE, END_BRACKET, END_BRACE] = Buffer.from('"\\,:[{]}');
