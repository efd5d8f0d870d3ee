/** Splits the words of a command line as a shell does: quotes are gone, and lines are one. */
export const parse = (text: string): string[] =>
  [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'')+/g)].map(([word]) => word.replaceAll('"', ''));
