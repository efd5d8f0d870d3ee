// Commands that are printed to be pasted into a shell: a path may contain anything.

/** Quotes a word so that a shell reads it back. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns an override that gives a key this text, and no number or list that looks like it: a word still to be quoted for the shell. */
export function overrideWord(key: string, text: string): string {
  const isPlain = /^(\.{0,2}\/|[A-Za-z_])[\w./+-]*$/.test(text) && !/^(true|false|null|nan|inf)$/i.test(text);
  return `${key}=${isPlain ? text : quoted(text)}`;
}

/** Quotes a text for Hydra's grammar, which halves backslashes before a quote and nowhere else; `\${` does not interpolate. */
const quoted = (text: string) =>
  `'${text.replace(/(\\*)('|$)/g, (_, slashes: string, quote: string) => slashes + slashes + (quote && `\\'`)).replaceAll('${', '\\${')}'`;

/** Writes a command `npx bowyer …` from words that a shell has not read yet. */
export const commandText = (...words: string[]): string => ['npx bowyer', ...words.map(shellQuoted)].join(' ');
