/** Splits the words of a command line as a shell does: it removes quotes and joins lines. */
export const parse = (text: string): string[] =>
  [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'')+/g)].map(([word]) => word.replaceAll('"', ''));
