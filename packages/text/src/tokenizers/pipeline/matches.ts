// Iterates over the matches of a pattern in a text as the Rust library `tokenizers` does.

/** The start and end of a match, in code units. */
export type Span = readonly [start: number, end: number];

/** Finds the first match that begins at `from` or later; null if there is none. */
export type Finder = (text: string, from: number) => Span | null;

/**
 * Yields matches, including empty ones, except an empty one directly after another. Source: `FindMatches` of the Rust crate onig
 * 6.5.
 */
export function* matchesFrom(text: string, find: Finder, from = 0, lastEnd = -1): Generator<Span> {
  let at = from;
  let previous = lastEnd;
  while (at <= text.length) {
    const span = find(text, at);
    if (span === null) return;
    const [start, end] = span;
    if (start === end && end === previous) {
      // After an empty match that is not yielded, the search advances from where it began, since the match may begin later.
      at += text.codePointAt(at)! > 0xffff ? 2 : 1;
      continue;
    }
    yield span;
    at = previous = end;
  }
}

/** Makes a function that finds matches of a regular expression with the flags g and u. */
export function finderOf(pattern: RegExp): Finder {
  return (text, from) => {
    for (let at = from; ; at++) {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match === null) return null;
      const { index } = match;
      if (!isWithinCharacter(text, index)) return [index, index + match[0].length];
      at = index; // V8 finds assertions between the surrogates of a character
    }
  };
}

function isWithinCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 && at > 0 && text.codePointAt(at - 1)! > 0xffff;
}
