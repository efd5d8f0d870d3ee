// Reads fields such as <answer>42</answer> from a reply: the last complete tag, as in the Python library verifiers.

/** The trimmed text of each field, by name; null if the reply lacks the field. */
export type Fields = Readonly<Record<string, string | null>>;

export const fieldsOf = (text: string, names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, lastTag(text, name)]));

/** Returns the content of the last complete tag, matching each opening tag with the next closing one in linear time. */
function lastTag(text: string, name: string): string | null {
  const [opening, closing] = [`<${name}>`, `</${name}>`];
  let found: string | null = null;
  for (let from = text.indexOf(opening); from >= 0;) {
    const start = from + opening.length;
    const end = text.indexOf(closing, start);
    if (end < 0) break;
    found = text.slice(start, end).trim();
    from = text.indexOf(opening, end + closing.length);
  }
  return found;
}

/** Returns the name of the field that contains the answer: `answer`, or else the last field; null if there are no fields. */
export const answerField = (names: readonly string[]): string | null =>
  names.includes('answer') ? 'answer' : (names.at(-1) ?? null);
