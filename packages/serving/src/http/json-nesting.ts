// How deeply a text of JSON is nested. A parser calls itself for each level, up to the end of the stack, so that a text is measured
// before it is parsed.

/** Levels of arrays and objects within each other. Schemas of published tools have about twenty. */
export const MOST_LEVELS = 128;

/** The counts of a text of JSON, or of the part of it that was read. */
export interface JsonCounts {
  /** The number of `:`, `[` and `{` outside strings. */
  fields: number;
  /** Outside strings. */
  commas: number;
  /** Whether it has more levels than may be. */
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
