// Parses matrices, with an optional factor before them: \frac{1}{5} \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}.
import { list, type Answer, type ListAnswer } from './answer.js';
import { parseExpression } from './expression-parser.js';
import type { Token } from './lexer.js';
import { bracketed, isSymbol, split } from './token-lists.js';
import { binary, type Tree } from './tree.js';

const environments: ReadonlySet<string> = new Set(['pmatrix', 'bmatrix', 'Bmatrix', 'matrix', 'smallmatrix', 'array']);

const MAX_CELLS = 64;

export function parseMatrix(tokens: readonly Token[]): ListAnswer | null {
  const start = tokens.findIndex(({ kind, text }) => kind === 'command' && text === 'begin');
  if (start < 0) return null;
  const { before, matrix } = unwrapped(tokens, start);
  const cells = matrix === null ? null : cellsOf(matrix);
  const factor = before.length === 0 ? null : factorOf(before);
  if (cells === null || (before.length > 0 && factor === null)) return null;
  const rows = cells.map((row) =>
    list(
      'row',
      'row',
      row.map((tree) => value(factor === null ? tree : binary(factor, '*', tree))),
    ),
  );
  return list('matrix', 'matrix', rows);
}

const value = (tree: Tree): Answer => ({ kind: 'value', name: null, tree, units: [], noun: [], product: null });

/** Removes the brackets around a matrix that is written as a LaTeX array, since `array` has no brackets of its own. */
function unwrapped(tokens: readonly Token[], start: number) {
  const isWrapped = start > 0 && isSymbol(tokens[start - 1], '(', '[');
  const first = isWrapped ? start - 1 : start;
  const whole = tokens.slice(first);
  return { before: tokens.slice(0, first), matrix: isWrapped ? (bracketed(whole)?.inner ?? null) : whole };
}

function factorOf(tokens: readonly Token[]): Tree | null {
  if (tokens.length === 1 && isSymbol(tokens[0], '-')) return parseExpression([tokens[0], ONE]);
  return parseExpression(isSymbol(tokens.at(-1), '*') ? tokens.slice(0, -1) : tokens);
}

const ONE: Token = { kind: 'number', text: '1', isSpaced: false, isUpright: false };

function cellsOf(tokens: readonly Token[]): Tree[][] | null {
  const name = environmentOf(tokens, 0);
  const end = tokens.length - 4;
  if (name === null || end < 4 || tokens[end].text !== 'end' || environmentOf(tokens, end) !== name) return null;
  const isArray = name === 'array' && isSymbol(tokens[4], '{');
  const columnsEnd = isArray ? tokens.findIndex((token, i) => i > 4 && isSymbol(token, '}')) : 3;
  const rows = split(tokens.slice(columnsEnd + 1, end), ['\\\\'])?.filter((row) => row.tokens.length > 0);
  const cells = rows?.map((row) => split(row.tokens, ['&'])?.map((cell) => parseExpression(cell.tokens)) ?? [null]);
  if (cells === undefined || cells.flat().length > MAX_CELLS || cells.flat().includes(null)) return null;
  return cells.map((row) => row.filter((cell) => cell !== null));
}

/** Returns the NAME of the command \begin{NAME} or \end{NAME} whose tokens begin at `start`; null for other tokens. */
function environmentOf(tokens: readonly Token[], start: number): string | null {
  const [, open, name, close] = tokens.slice(start, start + 4);
  const isNamed = isSymbol(open, '{') && name?.kind === 'letters' && isSymbol(close, '}');
  return isNamed && environments.has(name.text) ? name.text : null;
}
