// From a tree to its normal form.
import { Fraction } from '../fraction.js';
import { valueOf, type Algebra } from './algebra.js';
import { IMAGINARY, PI, type Quotient } from './atoms.js';
import { exponential, functions, logarithm } from './functions.js';
import { number, rationalValue, ungrouped, type Tree } from './tree.js';

/** @throws {NoValueError} where it has none, as 1/0, or would take more than the algebra's work */
export function normalForm(tree: Tree, algebra: Algebra): Quotient {
  switch (tree.type) {
    case 'number':
      return algebra.rational(tree.value);
    case 'variable':
      return algebra.variable(tree.name);
    case 'constant':
      return constantForm(tree.name, algebra);
    case 'negative':
      return algebra.times(algebra.rational(-1), normalForm(tree.of, algebra));
    case 'group':
      return normalForm(tree.of, algebra);
    case 'binary':
      return operationForm(tree, algebra);
    case 'call':
      return callForm(tree.name, tree.arguments, algebra);
    case 'application':
      return algebra.opaque(`${tree.name}()`, ...tree.arguments.map((value) => normalForm(value, algebra)));
  }
}

function constantForm(name: 'pi' | 'e' | 'i', algebra: Algebra): Quotient {
  if (name === 'e') return exponential(algebra, algebra.rational(1));
  return algebra.atom(name === 'i' ? IMAGINARY : PI);
}

function operationForm({ operator, left, right }: Extract<Tree, { type: 'binary' }>, algebra: Algebra): Quotient {
  if (operator === '^') return powerForm(left, right, algebra);
  const [a, b] = [normalForm(left, algebra), normalForm(right, algebra)];
  if (operator === '+') return algebra.plus(a, b);
  if (operator === '-') return algebra.minus(a, b);
  return operator === '*' ? algebra.times(a, b) : algebra.over(a, b);
}

function powerForm(left: Tree, right: Tree, algebra: Algebra): Quotient {
  const base = ungrouped(left);
  const exponent = normalForm(right, algebra);
  const value = valueOf(exponent);
  if (value !== null) return rationalPower(base, value, algebra);
  if (base.type === 'constant' && base.name === 'e') return exponential(algebra, exponent);
  return powerOfForm(normalForm(base, algebra), exponent, algebra);
}

/** base^exponent as an exponential; of a negative number with the angle π. */
function powerOfForm(base: Quotient, exponent: Quotient, algebra: Algebra): Quotient {
  const value = valueOf(base);
  if (value === null || value.numerator >= 0n)
    return exponential(algebra, algebra.times(exponent, logarithm(algebra, base)));
  const angle = algebra.times(algebra.atom(IMAGINARY), algebra.atom(PI));
  const of = algebra.plus(logarithm(algebra, algebra.rational(value.negative())), angle);
  return exponential(algebra, algebra.times(exponent, of));
}

/** Roots are taken of every factor by itself, and of a power as one power: what an expanded base would no longer show. */
function rationalPower(base: Tree, exponent: Fraction, algebra: Algebra): Quotient {
  if (exponent.isInteger()) return algebra.power(normalForm(base, algebra), exponent);
  const rootOf = (part: Tree) => rationalPower(ungrouped(part), exponent, algebra);
  if (base.type === 'binary' && (base.operator === '*' || base.operator === '/') && isReal(base)) {
    const [left, right] = [rootOf(base.left), rootOf(base.right)];
    return base.operator === '*' ? algebra.times(left, right) : algebra.over(left, right);
  }
  const inner = base.type === 'binary' && base.operator === '^' && isReal(base.left) ? rationalValue(base.right) : null;
  return inner === null
    ? algebra.power(normalForm(base, algebra), exponent)
    : rootOfPower((base as Extract<Tree, { type: 'binary' }>).left, inner, exponent, algebra);
}

/** (u^a)^b, where a is even the root of |u|. */
function rootOfPower(of: Tree, inner: Fraction, exponent: Fraction, algebra: Algebra): Quotient {
  const form = normalForm(of, algebra);
  const isEven = inner.denominator % 2n === 1n && inner.numerator % 2n === 0n && exponent.denominator % 2n === 0n;
  return algebra.power(isEven ? algebra.absolute(form) : form, inner.times(exponent));
}

/** Neither i nor a negative number is in it, whose roots cannot be taken factor by factor. */
function isReal(tree: Tree): boolean {
  if (tree.type === 'constant') return tree.name !== 'i';
  if (tree.type === 'number') return tree.value.numerator >= 0n;
  if (tree.type === 'negative') return false;
  if (tree.type === 'binary') return isReal(tree.left) && (tree.operator === '^' || isReal(tree.right));
  if (tree.type === 'group') return isReal(tree.of);
  return tree.type === 'variable';
}

function callForm(name: string, values: readonly Tree[], algebra: Algebra): Quotient {
  if (name === 'root') return rationalPowerOf(values[0], values[1], algebra);
  if (name === 'ln') return logarithmForm(ungrouped(values[0]), algebra);
  if (name === 'log') {
    const [base, of] = values.map((value) => logarithmForm(ungrouped(value), algebra));
    return algebra.over(of, base);
  }
  return functions[name](algebra, ...values.map((value) => normalForm(value, algebra)));
}

function rationalPowerOf(of: Tree, degree: Tree, algebra: Algebra): Quotient {
  const exponent = valueOf(algebra.over(algebra.rational(1), normalForm(degree, algebra)));
  if (exponent !== null) return rationalPower(ungrouped(of), exponent, algebra);
  const inverse: Tree = { type: 'binary', operator: '/', left: number(1), right: degree };
  return powerForm(of, inverse, algebra);
}

/** The logarithm of products, quotients and powers is taken factor by factor, that of |u| where a power is even. */
function logarithmForm(of: Tree, algebra: Algebra, isAbsolute = false): Quotient {
  const part = (tree: Tree, even = isAbsolute) => logarithmForm(ungrouped(tree), algebra, even);
  if (of.type === 'binary' && of.operator === '*') return algebra.plus(part(of.left), part(of.right));
  if (of.type === 'binary' && of.operator === '/') return algebra.minus(part(of.left), part(of.right));
  if (of.type === 'binary' && of.operator === '^')
    return algebra.times(normalForm(of.right, algebra), part(of.left, isAbsolute || isEven(rationalValue(of.right))));
  const form = normalForm(of, algebra);
  return logarithm(algebra, isAbsolute ? algebra.absolute(form) : form);
}

const isEven = (exponent: Fraction | null): boolean => exponent?.isInteger() === true && exponent.numerator % 2n === 0n;
