// Parses the name of the quantity that an answer gives: x, a_3, f(x), W(n), |AB|, \angle ABC, A:B, (p, q), "Area".
import type { Token } from './lexer.js';
import { bracketed, isSymbol, split, textOf } from './token-lists.js';
import { parseExpression } from './expression-parser.js';
import { isWord } from './words.js';

const MAX_TOKENS = 24;

/** Parses tokens as the name of a quantity and returns the normalised name; null if the tokens are not a name. */
export function nameOf(tokens: readonly Token[]): string | null {
  if (tokens.length === 0 || tokens.length > MAX_TOKENS) return null;
  return tupleName(tokens) ?? quotientName(tokens) ?? simpleName(tokens);
}

/** Parses a tuple of names, such as (p, q). */
function tupleName(tokens: readonly Token[]): string | null {
  const found = bracketed(tokens);
  if (found?.open !== '(' || found.close !== ')') return null;
  const parts = split(found.inner, [',', ';']) ?? [];
  const names = parts.map((part) => simpleName(part.tokens));
  return names.length < 2 || names.includes(null) ? null : `(${names.join(',')})`;
}

/** Parses a quotient of names in capital letters: A:B or \frac{NO}{BO}. */
function quotientName(tokens: readonly Token[]): string | null {
  const parts = split(tokens, [':']) ?? [];
  if (parts.length > 1 && parts.every((part) => simpleName(part.tokens) !== null)) return textOf(tokens);
  return /^\\frac \{[A-Z]{2}\}\{[A-Z]{2}\}$/.test(textOf(tokens)) ? textOf(tokens) : null;
}

function simpleName(tokens: readonly Token[]): string | null {
  const text = textOf(tokens);
  if (
    tokens.every(
      ({ kind, text: word, isUpright }) => kind === 'letters' && (isWord(word) || (isUpright && word.length > 1)),
    )
  )
    return text.toLowerCase();
  if (/^(?:\|[A-Z]{2}\||(?:\\(?:angle|triangle) )?[A-Z]{2,3})$/.test(text)) return text;
  return symbolName(tokens, text);
}

/** Parses a name that is a letter with its index, primes and argument, such as a_3 or f'(x). */
function symbolName(tokens: readonly Token[], text: string): string | null {
  const [first] = tokens;
  const inBars = isSymbol(first, '|') && isSymbol(tokens.at(-1), '|') ? tokens.slice(1, -1) : null;
  if (inBars !== null) return inBars.length === 1 && isLetter(inBars[0]) ? text : null;
  if (!isLetter(first)) return null;
  let end = 1;
  while (isSymbol(tokens[end], "'")) end++;
  if (isSymbol(tokens[end], '_')) end = indexEnd(tokens, end + 1);
  if (end === tokens.length) return text.replace(/_\{(\w+)\}/g, '_$1');
  const rest = bracketed(tokens.slice(end));
  const isCall = rest?.open === '(' && (rest.inner.length === 1 || parseExpression(rest.inner) !== null);
  return isCall && /^[A-Za-z]$/.test(first.text) ? text : null;
}

const isLetter = ({ kind, text }: Token): boolean =>
  kind === 'letters' ? text.length === 1 && text !== 'e' && text !== 'i' : kind === 'command' && GREEK.test(text);

const GREEK =
  /^(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega)$/;

function indexEnd(tokens: readonly Token[], start: number): number {
  if (!isSymbol(tokens[start], '{')) return start + 1;
  const close = tokens.findIndex((token, i) => i > start && isSymbol(token, '}'));
  return close < 0 ? tokens.length + 1 : close + 1;
}
