// Writes commands that users paste into a shell; paths in them may contain any character.

/** Quotes a word for the shell, if necessary. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns a Hydra override `key=text` whose value is a text even if it looks like a number or list; not quoted for the shell. */
export function overrideWord(key: string, text: string): string {
  const isPlain = /^(\.{0,2}\/|[A-Za-z_])[\w./+-]*$/.test(text) && !/^(true|false|null|nan|inf)$/i.test(text);
  return `${key}=${isPlain ? text : quoted(text)}`;
}

/** Quotes a text in Hydra's grammar, where backslashes are escaped only before a quote; `\${` prevents interpolation. */
const quoted = (text: string) =>
  `'${text.replace(/(\\*)('|$)/g, (_, slashes: string, quote: string) => slashes + slashes + (quote && `\\'`)).replaceAll('${', '\\${')}'`;

/** Joins arguments to the command `npx bowyer …`, and quotes each for the shell. */
export const commandText = (...words: string[]): string => ['npx bowyer', ...words.map(shellQuoted)].join(' ');
