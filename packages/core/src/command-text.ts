// Writes commands that users paste into a shell; paths in them may contain any character.

/** Quotes a word for the shell, if necessary. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns an override that sets a key to this text, even if it looks like a number or a list. The word must still be quoted for the
 * shell.
 */
export function overrideWord(key: string, text: string): string {
  const isPlain = /^(\.{0,2}\/|[A-Za-z_])[\w./+-]*$/.test(text) && !/^(true|false|null|nan|inf)$/i.test(text);
  return `${key}=${isPlain ? text : quoted(text)}`;
}

/** Quotes a text in Hydra's grammar, where backslashes are escaped only before a quote; `\${` prevents interpolation. */
const quoted = (text: string) =>
  `'${text.replace(/(\\*)('|$)/g, (_, slashes: string, quote: string) => slashes + slashes + (quote && `\\'`)).replaceAll('${', '\\${')}'`;

/** Writes the command `npx bowyer …` from unquoted words. */
export const commandText = (...words: string[]): string => ['npx bowyer', ...words.map(shellQuoted)].join(' ');
