/** A parameter of a sweep as a word of the command line, in the override grammar. */
export const overrideOf = (key: string, value: unknown): string => `${key}=${valueText(value)}`;

function valueText(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value).map(([key, member]) => `${key}:${valueText(member)}`).join(',')}}`; // prettier-ignore
  if (typeof value !== 'string') return String(value);
  // A text that would read as something else, or with characters of the grammar, in quotes.
  const isPlain = /^[A-Za-z_][\w./-]*$/.test(value) && !/^(true|false|null|nan|inf)$/i.test(value);
  return isPlain ? value : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
