import { Fraction, NoValueError } from '../fraction.js';

export type Tree =
  /** A number. `isNumeral`: it is written as a single number, such as 12, 1.5 or 1 1/2, but not 11 2/2. */
  | { type: 'number'; value: Fraction; isNumeral: boolean }
  | { type: 'variable'; name: string }
  | { type: 'constant'; name: 'pi' | 'e' | 'i' }
  | { type: 'negative'; of: Tree }
  | { type: 'binary'; operator: Operator; left: Tree; right: Tree }
  /** Parentheses or braces around an expression, which are kept, since some rules depend on them. */
  | { type: 'group'; of: Tree }
  /** A function that can be evaluated: sin, abs, log (whose first argument is the base), … */
  | { type: 'call'; name: string; arguments: Tree[] }
  /** A function that cannot be evaluated, such as f(x), or a sum with its bounds. */
  | { type: 'application'; name: string; arguments: Tree[] };

export type Operator = '+' | '-' | '*' | '/' | '^';

export const number = (value: Fraction | number, isNumeral = true): Tree => ({
  type: 'number',
  value: typeof value === 'number' ? Fraction.of(value) : value,
  isNumeral,
});

export const binary = (left: Tree, operator: Operator, right: Tree): Tree => ({
  type: 'binary',
  operator,
  left,
  right,
});

export const ungrouped = (tree: Tree): Tree => (tree.type === 'group' ? ungrouped(tree.of) : tree);

export function childrenOf(tree: Tree): readonly Tree[] {
  if (tree.type === 'binary') return [tree.left, tree.right];
  if (tree.type === 'negative' || tree.type === 'group') return [tree.of];
  return tree.type === 'call' || tree.type === 'application' ? tree.arguments : [];
}

export function variablesOf(tree: Tree, found = new Set<string>()): ReadonlySet<string> {
  if (tree.type === 'variable') found.add(tree.name);
  for (const child of childrenOf(tree)) variablesOf(child, found);
  return found;
}

export const someNode = (tree: Tree, test: (node: Tree) => boolean): boolean =>
  test(tree) || childrenOf(tree).some((child) => someNode(child, test));

/** Returns whether an expression is written as a number: `-3`, `3/4`, `1 1/2`, `1.2 * 10^3`, but not `1 + 2` or `6/3`. */
export function isNumeral(tree: Tree): boolean {
  if (tree.type === 'number') return tree.isNumeral;
  if (tree.type === 'negative' || tree.type === 'group') return isNumeral(tree.of);
  if (tree.type !== 'binary') return false;
  const { operator, left, right } = tree;
  if (operator === '*') return ungrouped(left).type === 'number' && isPowerOfTen(right);
  return operator === '/' && isNumeral(left) && isNumeral(right) && rationalValue(tree)?.isInteger() === false;
}

/** Returns whether an expression is a power of ten with an integer exponent: `10^3` or `10^{-3}`. */
function isPowerOfTen(tree: Tree): boolean {
  if (tree.type !== 'binary' || tree.operator !== '^') return false;
  const base = ungrouped(tree.left);
  return base.type === 'number' && base.value.equals(Fraction.of(10)) && isNumeral(tree.right);
}

/** Returns the exact value of an expression; null if it is not a rational number that arithmetic on fractions can compute. */
export function rationalValue(tree: Tree): Fraction | null {
  try {
    return calculated(tree);
  } catch (error) {
    if (error instanceof NoValueError) return null;
    throw error;
  }
}

function calculated(tree: Tree): Fraction | null {
  if (tree.type === 'number') return tree.value;
  if (tree.type === 'group') return calculated(tree.of);
  if (tree.type === 'negative') return calculated(tree.of)?.negative() ?? null;
  if (tree.type !== 'binary') return null;
  const [left, right] = [calculated(tree.left), calculated(tree.right)];
  return left === null || right === null ? null : operated(tree.operator, left, right);
}

function operated(operator: Operator, left: Fraction, right: Fraction): Fraction | null {
  if (operator === '+') return left.plus(right);
  if (operator === '-') return left.minus(right);
  if (operator === '*') return left.times(right);
  if (operator === '/') return left.over(right);
  return right.isInteger() ? left.power(right.numerator) : null;
}
