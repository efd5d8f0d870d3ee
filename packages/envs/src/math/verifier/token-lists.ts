// Splits the tokens of an answer at brackets and separators.
import type { Token } from './lexer.js';

const opening: ReadonlySet<string> = new Set(['(', '[', '{', '\\{']);
const closing: ReadonlySet<string> = new Set([')', ']', '}', '\\}']);

/** Returns by how much a token changes the depth of brackets. Those of an interval may differ; LaTeX's braces must match. */
function depthChange({ kind, text }: Token): -1 | 0 | 1 {
  if (kind === 'command') return text === 'begin' ? 1 : text === 'end' ? -1 : 0;
  if (kind !== 'symbol') return 0;
  return opening.has(text) ? 1 : closing.has(text) ? -1 : 0;
}

export const isSymbol = (token: Token | undefined, ...texts: readonly string[]): boolean =>
  token?.kind === 'symbol' && texts.includes(token.text);

export interface Part {
  tokens: readonly Token[];
  /** The separator token after this part of the list; null after the last part. */
  separator: Token | null;
}

/** Splits tokens at the separators that are not inside brackets; null if the brackets do not match. */
export function split(tokens: readonly Token[], separators: readonly string[]): Part[] | null {
  const parts: Part[] = [];
  let [depth, start] = [0, 0];
  for (const [i, token] of tokens.entries()) {
    depth += depthChange(token);
    if (depth < 0) return null;
    if (depth > 0 || !isSymbol(token, ...separators)) continue;
    parts.push({ tokens: tokens.slice(start, i), separator: token });
    start = i + 1;
  }
  return depth === 0 ? [...parts, { tokens: tokens.slice(start), separator: null }] : null;
}

/** Returns the tokens inside a pair of brackets that encloses the whole list of tokens; null if there is no such pair. */
export function bracketed(tokens: readonly Token[]): { open: string; close: string; inner: readonly Token[] } | null {
  if (tokens.length < 2 || depthChange(tokens[0]) !== 1 || tokens[0].kind !== 'symbol') return null;
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    depth += depthChange(token);
    if (depth === 0 && i < tokens.length - 1) return null;
  }
  const close = tokens[tokens.length - 1];
  if (depth !== 0 || close.kind !== 'symbol') return null;
  return { open: tokens[0].text, close: close.text, inner: tokens.slice(1, -1) };
}

/** Returns the text of tokens, without spaces. */
export const textOf = (tokens: readonly Token[]): string =>
  tokens.map(({ kind, text }) => (kind === 'command' ? `\\${text} ` : text)).join('');
