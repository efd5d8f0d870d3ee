// Reads and writes JSON as W&B's clients do, with the bare tokens NaN, Infinity and -Infinity. It also has trees of objects whose
// values stay JSON texts and are not parsed.

/** Writes a value as JSON text in which NaN and infinite numbers are bare tokens. Otherwise it is the same as JSON.stringify. */
export function jsonText(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${jsonText(member)}`).join(', ')}}`;
}

/** Parses JSON that may contain the bare tokens NaN, Infinity and -Infinity, as `jsonText` writes it. */
export function parseJsonText(text: string): unknown {
  const scalar = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity }[text];
  if (scalar !== undefined) return scalar;
  // The bare tokens outside of strings are replaced by strings with a prefix, which JSON can parse, and these are then converted
  // to numbers.
  const quoted = text.replaceAll(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(`${MARK}${token}`),
  );
  return JSON.parse(quoted, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? Number(value.slice(MARK.length)) : value,
  );
}

const MARK = '\u0000number ';

/** A tree of objects, in which each leaf is the JSON text of a value. */
export type RawTree = Map<string, string | RawTree>;

/** @param path at least one key; a leaf that is on the path is replaced by an object */
export function setRaw(tree: RawTree, path: readonly string[], json: string): void {
  let at = tree;
  for (const key of path.slice(0, -1)) {
    let next = at.get(key);
    if (!(next instanceof Map)) at.set(key, (next = new Map()));
    at = next;
  }
  at.set(path.at(-1)!, json);
}

export function removeRaw(tree: RawTree, path: readonly string[]): void {
  let at: RawTree | undefined = tree;
  for (const key of path.slice(0, -1)) {
    const next: string | RawTree | undefined = at?.get(key);
    at = next instanceof Map ? next : undefined;
  }
  at?.delete(path.at(-1)!);
}

/** @param leaf converts the JSON text of each leaf */
export function rawText(tree: RawTree, leaf: (json: string) => string = (json) => json): string {
  const members = [...tree].map(([key, value]) => {
    const json = value instanceof Map ? rawText(value) : value;
    return `${JSON.stringify(key)}: ${leaf(json)}`;
  });
  return `{${members.join(', ')}}`;
}
