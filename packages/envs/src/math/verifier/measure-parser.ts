// Parses a number or expression with its unit or a noun for what is counted: 3 cm^2, $12, 3 million, 50 %, 12 apples.
import { Fraction } from '../fraction.js';
import type { ValueAnswer } from './answer.js';
import { parseExpression } from './expression-parser.js';
import type { Token } from './lexer.js';
import { isSymbol } from './token-lists.js';
import { binary, isNumeral, number, rationalValue, someNode, variablesOf, type Tree } from './tree.js';
import { conversion, parseUnit, unitsNamed, type Unit } from './units.js';
import { isWord, nounOf, scaleOf } from './words.js';

/** The largest number of tokens after a number that are read as its unit or noun. */
const MAX_TAIL = 16;

const CURRENCIES = ['$', '\\$', '€', '£', '¥'];

export function parseMeasure(tokens: readonly Token[]): ValueAnswer | null {
  return (
    withCurrency(tokens) ??
    sumOfMeasures(tokens) ??
    withUnit(tokens) ??
    plain(parseExpression(tokens)) ??
    withNoun(tokens)
  );
}

const plain = (tree: Tree | null, units: readonly Unit[] = [], noun: readonly string[] = []): ValueAnswer | null =>
  tree && { kind: 'value', name: null, tree, units, noun, product: null };

/** Parses an amount of money: $12, -$12, $-12, $3 million. */
function withCurrency(tokens: readonly Token[]): ValueAnswer | null {
  const at = isSymbol(tokens[0], '-', '+') ? 1 : 0;
  if (!isSymbol(tokens[at], ...CURRENCIES)) return null;
  const rest = [...tokens.slice(0, at), ...tokens.slice(at + 1)];
  const value = withUnit(rest) ?? plain(parseExpression(rest));
  if (value === null || value.units.length > 0) return null;
  return { ...value, units: unitsNamed(tokens[at].text) };
}

/** Parses a value with words of scale, such as million, and the longest possible unit at the end. */
function withUnit(tokens: readonly Token[]): ValueAnswer | null {
  for (let start = Math.max(1, tokens.length - MAX_TAIL); start < tokens.length; start++) {
    if (!startsTail(tokens[start])) continue;
    const { scale, end } = scaleWords(tokens, start);
    const tail = tokens.slice(end);
    const units = parseUnit(tail);
    if (tail.length > 0 && units.length === 0) continue;
    if (end === start && units.length === 0) continue;
    const tree = parseExpression(tokens.slice(0, start));
    if (tree === null || !mayHaveUnit(tree, tokens, end)) continue;
    const value = plain(scaled(tree, scale), units);
    return value && { ...value, product: isPlainRun(tail) ? parseExpression(tokens) : null };
  }
  return null;
}

const startsTail = ({ kind, text }: Token): boolean =>
  kind === 'letters' ||
  (kind === 'command' && (text === 'Omega' || text === 'frac')) ||
  ['%', '°', '¢', '‰', ...CURRENCIES].includes(text);

/** Returns whether a unit may be a product of variables: `5 m` may be 5 · m, and `2\pi hr` may be 2π · h · r. */
const isPlainRun = (tail: readonly Token[]): boolean =>
  tail.length === 1 && tail[0].kind === 'letters' && tail[0].text.length <= 3 && !tail[0].isUpright;

/** Parses a sum of measures with units of the same dimension, the largest first: 5 ft 3 in, 1 hour and 30 minutes. */
function sumOfMeasures(tokens: readonly Token[]): ValueAnswer | null {
  const starts = [...tokens.keys()].filter((i) => tokens[i].kind === 'number' && tokens[i - 1]?.text !== '^');
  if (tokens.length > MAX_TAIL || starts.length < 2 || starts[0] !== 0) return null;
  const parts = starts.map((start, i) => withUnit(tokens.slice(start, starts[i + 1])));
  const [first] = parts;
  let total: Fraction | null = Fraction.of(0);
  for (const part of parts) {
    const factor = part && first?.units[0] && part.units[0] ? conversion(part.units[0], first.units[0]) : null;
    const value = part && rationalValue(part.tree);
    if (factor === null || value === null || factor.toNumber() > 1) return null;
    total = total.plus(value.times(factor));
  }
  return plain(number(total), first!.units);
}

function scaleWords(tokens: readonly Token[], start: number): { scale: Fraction[]; end: number } {
  const scale: Fraction[] = [];
  let end = start;
  for (; end < tokens.length; end++) {
    const factor = tokens[end].kind === 'letters' ? scaleOf(tokens[end].text) : null;
    if (factor === null) break;
    scale.push(factor);
  }
  return { scale, end };
}

const scaled = (tree: Tree, factors: readonly Fraction[]): Tree =>
  factors.reduce<Tree>(
    (product, factor) =>
      product.type === 'number' && product.isNumeral
        ? number(product.value.times(factor))
        : binary(product, '*', number(factor)),
    tree,
  );

/**
 * Returns whether the tokens after a number or expression may be its unit. Letters in the type of variables are a unit only if
 * they cannot be variables: `5 m` is five metres, `5m` is a product, `x cm` is x centimetres.
 */
function mayHaveUnit(tree: Tree, tokens: readonly Token[], start: number): boolean {
  const unit = tokens[start];
  // In \cos 60^\circ, the degree sign belongs to the argument of the function: the value is not a number of degrees.
  if (unit?.text === '°') return !someNode(tree, (node) => node.type === 'call' && node.name !== 'root');
  if (unit === undefined || unit.kind !== 'letters' || unit.isUpright) return true;
  if (variablesOf(tree).size > 0) return unit.text.length > 1 && unit.isSpaced && unit.text !== 'in';
  if (unit.text.length > 1) return true;
  return isNumeral(tree) && unit.isSpaced;
}

/** Parses a number that is followed by a noun for what is counted, such as 12 apples. */
function withNoun(tokens: readonly Token[]): ValueAnswer | null {
  const start = tokens.findIndex((token) => token.kind === 'letters' && (token.isUpright || isWord(token.text)));
  const words = tokens.slice(start);
  if (start < 1 || words.length > MAX_TAIL || words.some(({ kind }) => kind !== 'letters')) return null;
  const { scale, end } = scaleWords(tokens, start);
  const tree = parseExpression(tokens.slice(0, start));
  if (tree === null || variablesOf(tree).size > 0) return null;
  const noun = nounOf(tokens.slice(end).map(({ text }) => text));
  const { units, rest } = leadingUnit(tokens.slice(end), noun);
  return plain(scaled(tree, scale), units, rest);
}

/** Splits the words after a number into a unit and other words, as in `12 dollars in total`. */
function leadingUnit(
  words: readonly Token[],
  noun: readonly string[],
): { units: readonly Unit[]; rest: readonly string[] } {
  const units = words.length > 0 && words[0].text.length > 1 ? unitsNamed(words[0].text) : [];
  return units.length > 0 ? { units, rest: noun.slice(1) } : { units, rest: noun };
}
