// Sines and cosines of rational parts of π, in fixed point.
import { Fraction } from '../fraction.js';
import type { Tree } from './tree.js';

/** a + bπ. */
interface Linear {
  rational: Fraction;
  turns: Fraction;
}

const ZERO = Fraction.of(0);

/** b where the tree is b·π; null where it is not. */
export function turnsOf(tree: Tree): Fraction | null {
  const linear = linearOf(tree);
  return linear !== null && linear.rational.equals(ZERO) ? linear.turns : null;
}

function linearOf(tree: Tree): Linear | null {
  if (tree.type === 'number') return { rational: tree.value, turns: ZERO };
  if (tree.type === 'constant') return tree.name === 'pi' ? { rational: ZERO, turns: Fraction.of(1) } : null;
  if (tree.type === 'group') return linearOf(tree.of);
  if (tree.type === 'negative') return scaled(linearOf(tree.of), Fraction.of(-1));
  if (tree.type !== 'binary') return null;
  const [left, right] = [linearOf(tree.left), linearOf(tree.right)];
  return left === null || right === null ? null : operated(tree.operator, left, right);
}

function operated(operator: string, left: Linear, right: Linear): Linear | null {
  if (operator === '+') return sum(left, right);
  if (operator === '-') return sum(left, scaled(right, Fraction.of(-1))!);
  const isNumber = right.turns.equals(ZERO);
  if (operator === '/') return isNumber ? scaled(left, Fraction.of(1).over(right.rational)) : null;
  if (operator !== '*') return null;
  if (isNumber) return scaled(left, right.rational);
  return left.turns.equals(ZERO) ? scaled(right, left.rational) : null;
}

const sum = (a: Linear, b: Linear): Linear => ({ rational: a.rational.plus(b.rational), turns: a.turns.plus(b.turns) });

const scaled = (linear: Linear | null, factor: Fraction): Linear | null =>
  linear && { rational: linear.rational.times(factor), turns: linear.turns.times(factor) };

/** Bits behind those that are asked for. */
const GUARD = 48;

/** cos(turns·π) and sin(turns·π), times 2^precision, to within one. */
export function cosineAndSine(turns: Fraction, precision: number): { cosine: bigint; sine: bigint } {
  const bits = BigInt(precision + GUARD);
  const { numerator, denominator } = turns;
  const half = ((numerator % (2n * denominator)) + 3n * denominator) % (2n * denominator);
  const angle = (pi(bits) * (half - denominator)) / denominator; // between −π and π
  let [cosine, sine] = [0n, 0n];
  let term = 1n << bits;
  for (let k = 1n; term !== 0n; k++) {
    if (k % 2n === 1n) cosine += term * (k % 4n === 1n ? 1n : -1n);
    else sine += term * (k % 4n === 2n ? 1n : -1n);
    term = (term * angle) / k / (1n << bits);
  }
  return { cosine: cosine >> BigInt(GUARD), sine: sine >> BigInt(GUARD) };
}

/** Machin's formula: π/4 = 4 arctan(1/5) − arctan(1/239). */
const pi = (bits: bigint): bigint => 4n * (4n * inverseTangent(5n, bits) - inverseTangent(239n, bits));

/** arctan(1/n). */
function inverseTangent(n: bigint, bits: bigint): bigint {
  let power = (1n << bits) / n;
  let total = power;
  for (let k = 3n; power !== 0n; k += 2n) {
    power /= -n * n;
    total += power / k;
  }
  return total;
}
